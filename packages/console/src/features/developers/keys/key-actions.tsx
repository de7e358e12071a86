// Actions on a key: roll, revoke, view in audit log.

import type { ApiKey } from '@causeway/sdk'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { SecretDialog } from '../../../components/dialogs/secret-dialog.tsx'
import { WithCreated } from '../../../components/dialogs/with-created.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { SelectField } from '../../../components/ui/form.tsx'
import { Menu, MenuItem } from '../../../components/ui/menu.tsx'
import { may, type Session } from '../../../session/session.ts'
import { keyState } from '../key-words.tsx'
import { endKey, rollKey } from '../queries.ts'

type Props = { apiKey: ApiKey; session: Session }

export function KeyActions({ apiKey, session, onRoll }: Props & { onRoll: (apiKey: ApiKey) => void }) {
  // The server refuses to roll or end what may do more than the session.
  const mayChange =
    may(session, 'api_keys:write') &&
    apiKey.scopes.every((scope) => may(session, scope)) &&
    ['live', 'ending'].includes(keyState(apiKey, Date.now()))
  return (
    <span className="flex flex-wrap items-center gap-1.5 rows:flex-nowrap rows:justify-end">
      {mayChange && (
        <Button size="sm" title="Replace this key with a new one" onClick={() => onRoll(apiKey)}>
          Roll
        </Button>
      )}
      {mayChange && <EndKey apiKey={apiKey} session={session} />}
      <Menu
        trigger={
          <Button variant="ghost" size="sm" className="px-1.5" aria-label={`More about the key ${apiKey.name}`}>
            <Ellipsis />
          </Button>
        }
      >
        <MenuItem asChild>
          <Link to="/developers/requests" search={{ by: apiKey.id }}>
            View requests
          </Link>
        </MenuItem>
        <MenuItem asChild>
          <Link to="/developers/audit" search={{ actor: apiKey.id }}>
            View in audit log
          </Link>
        </MenuItem>
      </Menu>
    </span>
  )
}

const overlaps: readonly (readonly [hours: number, words: string])[] = [
  [0, 'Expires now'],
  [1, 'Expires after 1 hour'],
  [24, 'Expires after 24 hours'],
  [72, 'Expires after 3 days'],
  [168, 'Expires after 7 days'],
]

/** Rendered outside the list: the row of a key that ends may disappear while the new key is shown. */
export function RollKey({ apiKey, session, onClose }: Props & { onClose: () => void }) {
  const [hours, setHours] = useState(24)
  return (
    <SecretDialog
      title={`Roll key “${apiKey.name}”`}
      name="key"
      action="Roll key"
      onMake={async () => (await rollKey(apiKey.id, hours)).key}
      onClose={onClose}
      afterwards={<p className="text-soft">Replace the old key with the new key in your services.</p>}
    >
      <p className="text-soft">A new key with the same name, scopes and expiration replaces this key.</p>
      <SelectField
        label="Old key"
        hint="Choose enough time to replace the key everywhere. If the key leaked, choose “Expires now”."
        options={overlaps}
        value={hours}
        onChange={setHours}
      />
      {apiKey.id === session.apiKeyId && <OwnKey when={hours === 0 ? 'immediately' : 'when the old key expires'} />}
    </SecretDialog>
  )
}

function EndKey({ apiKey, session }: Props) {
  const isOwn = apiKey.id === session.apiKeyId
  const [withCreated, setWithCreated] = useState(false)
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger" title="Refuse this key from now on">
          Revoke
        </Button>
      }
      title={`Revoke key “${apiKey.name}”?`}
      action={isOwn ? 'Revoke key and sign out' : 'Revoke key'}
      isDangerous
      onConfirm={() => endKey(apiKey.id, withCreated)}
    >
      <div className="grid gap-2">
        <p>
          Requests with the key …{apiKey.lastFour} are refused from now on. Console links created with it, and their
          sessions, are revoked too. You cannot undo this.
        </p>
        <WithCreated isOn={withCreated} onChange={setWithCreated} />
        {isOwn && <OwnKey when="immediately" />}
      </div>
    </Confirm>
  )
}

function OwnKey({ when }: { when: string }) {
  return (
    <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      You are signed in with this key. You are signed out {when}.
    </p>
  )
}
