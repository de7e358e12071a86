// The form of the staff sign-in: the issuer, the client, and which value of a claim gives which role.

import type { StaffRole, StaffSignIn } from '@causeway/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Copyable } from '../../components/copy-button.tsx'
import { ActionForm } from '../../components/dialogs/action-form.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Input, Select, TextField } from '../../components/ui/form.tsx'
import { roleOptions, rolesHint } from './roles.ts'
import type { SignInBody } from './sign-in-queries.ts'

type Props = {
  /** The settings to begin with; null for new ones. */
  signIn: StaffSignIn | null
  redirectUri: string
  onSubmit: (body: SignInBody) => Promise<unknown>
}

/** A row of the mapping. Its key stays while the value is typed. */
type Row = { key: number; value: string; role: StaffRole }

const rowsOf = (signIn: StaffSignIn | null): Row[] =>
  Object.entries(signIn?.roles.values ?? { '': 'admin' as const }).map(([value, role], key) => ({ key, value, role }))

export function SignInForm({ signIn, redirectUri, onSubmit }: Props) {
  const [issuer, setIssuer] = useState(signIn?.issuer ?? '')
  const [clientId, setClientId] = useState(signIn?.clientId ?? '')
  const [secret, setSecret] = useState('')
  const [isPublic, setPublic] = useState(false)
  const [claim, setClaim] = useState(signIn?.roles.claim ?? 'groups')
  const [rows, setRows] = useState(() => rowsOf(signIn))
  const [scope, setScope] = useState(signIn?.scope ?? 'openid profile email')
  const values = rows.map(({ value }) => value.trim())
  const repeated = values.find((value, at) => value !== '' && values.indexOf(value) !== at)
  const isSameClient = signIn !== null && signIn.issuer === issuer.trim() && signIn.clientId === clientId.trim()
  const isKept = isSameClient && signIn.hasClientSecret
  const submit = () =>
    onSubmit({
      issuer: issuer.trim(),
      clientId: clientId.trim(),
      ...(isPublic ? { clientSecret: null } : secret !== '' && { clientSecret: secret }),
      roles: { claim: claim.trim(), values: Object.fromEntries(rows.map(({ value, role }) => [value.trim(), role])) },
      scope: scope.trim(),
    })
  return (
    <ActionForm action="Save" isReady={repeated === undefined} onSubmit={submit}>
      <div className="grid gap-1 rounded-md bg-sunken px-3 py-2">
        <p className="text-soft text-xs">Register this redirect URI at your identity provider:</p>
        <Copyable text={redirectUri} name="the redirect URI" />
      </div>
      <TextField
        label="Issuer"
        hint="The https URL of your identity provider."
        type="url"
        required
        placeholder="https://login.example.com"
        value={issuer}
        onChange={setIssuer}
      />
      <TextField label="Client ID" required maxLength={256} value={clientId} onChange={setClientId} />
      <TextField
        label="Client secret"
        hint={
          isKept ? 'Leave empty to keep the stored secret.' : 'Leave empty for a public client, which uses PKCE only.'
        }
        type="password"
        autoComplete="new-password"
        maxLength={1_024}
        disabled={isPublic}
        value={secret}
        onChange={setSecret}
      />
      {isKept && (
        <Checkbox
          label="Delete the stored secret (public client)"
          checked={isPublic}
          onChange={({ target }) => setPublic(target.checked)}
        />
      )}
      <TextField
        label="Role claim"
        hint="The claim with the groups of a person: a name, or a path such as realm_access.roles."
        required
        maxLength={200}
        value={claim}
        onChange={setClaim}
      />
      <Roles rows={rows} repeated={repeated} onChange={setRows} />
      <TextField
        label="Scopes"
        hint="Add offline_access if the identity provider returns a refresh token only with it."
        required
        maxLength={500}
        value={scope}
        onChange={setScope}
      />
      {signIn !== null && !isSameClient && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          A different issuer or client signs out all staff who signed in with a company account.
        </p>
      )}
    </ActionForm>
  )
}

type RolesProps = { rows: readonly Row[]; repeated: string | undefined; onChange: (rows: Row[]) => void }

function Roles({ rows, repeated, onChange }: RolesProps) {
  const change = (key: number, part: Partial<Row>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  const next = Math.max(...rows.map(({ key }) => key)) + 1
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Role mapping</legend>
      {rows.map(({ key, value, role }, at) => (
        <div key={key} className="flex items-center gap-2">
          <Input
            aria-label={`Value ${at + 1} of the claim`}
            placeholder="payments-admins"
            required
            maxLength={200}
            className="min-w-0 flex-1"
            value={value}
            onChange={({ target }) => change(key, { value: target.value })}
          />
          <Select
            aria-label={`Role of value ${at + 1}`}
            className="w-32"
            value={role}
            onChange={({ target }) => change(key, { role: target.value as StaffRole })}
          >
            {roleOptions.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </Select>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove value ${at + 1}`}
            disabled={rows.length === 1}
            onClick={() => onChange(rows.filter((row) => row.key !== key))}
          >
            <X />
          </Button>
        </div>
      ))}
      <p className={repeated === undefined ? 'text-soft text-xs' : 'text-bad text-xs'}>
        {repeated === undefined
          ? 'A person gets the roles of all their values. A person without a role cannot sign in.'
          : `The value ${repeated} is in two rows.`}
      </p>
      <p className="text-soft text-xs">{rolesHint}</p>
      <Button
        size="sm"
        className="justify-self-start"
        onClick={() => onChange([...rows, { key: next, value: '', role: 'support' }])}
      >
        <Plus /> Add value
      </Button>
    </fieldset>
  )
}
