// Signing in: with a company account, with a key, as the operator.

import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { Failure } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/form.tsx'
import type { Session } from '../../session/session.ts'
import { AtBusiness, AtOperator, knownBusiness } from './company-account.tsx'
import { Frame, useSignIn } from './frame.tsx'

const Problem = lazy(() => import('./problem.tsx').then((file) => ({ default: file.Problem })))

const route = getRouteApi('/sign-in')
const root = getRouteApi('__root__')

export function SignInPage() {
  const { next, owner, error } = route.useSearch()
  const { isLocal, signIn } = root.useLoaderData()
  const [role, setRole] = useState<Session['role']>(
    owner === 'operator' || (owner === undefined && next?.startsWith('/operator')) ? 'operator' : 'business',
  )
  const isBusiness = role === 'business'
  const known = owner === undefined || owner === 'operator' ? knownBusiness() : owner
  const hasCompany = isBusiness || signIn?.operator === true
  return (
    <Frame title={isBusiness ? 'Sign in to Causeway' : 'Sign in as the operator'}>
      {error !== undefined && (
        <Suspense>
          <Problem code={error} />
        </Suspense>
      )}
      {isLocal && (
        <div className="grid gap-2 border-line border-b pb-5 text-soft">
          <p>This is a local environment. For a link that signs you in, run this command in the project folder:</p>
          <code className="font-mono text-ink">npx causeway open{!isBusiness && ' operator'}</code>
          <p className="text-xs">Or sign in here:</p>
        </div>
      )}
      {isBusiness && <AtBusiness known={known} next={next} />}
      {!isBusiness && hasCompany && <AtOperator next={next} />}
      {hasCompany && <Or />}
      <SecretForm key={role} role={role} isFirst={isBusiness ? known === '' : !hasCompany} />
      <button
        type="button"
        className="justify-self-start text-soft text-xs underline"
        onClick={() => setRole(isBusiness ? 'operator' : 'business')}
      >
        {isBusiness ? 'Sign in as the operator' : 'Sign in to a business'}
      </button>
    </Frame>
  )
}

const Or = () => (
  <p className="flex items-center gap-3 text-soft text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
    or
  </p>
)

/** `isFirst`: no other way to sign in is more likely. */
function SecretForm({ role, isFirst }: { role: Session['role']; isFirst: boolean }) {
  const { enter, error, isBusy } = useSignIn()
  const [secret, setSecret] = useState('')
  const isBusiness = role === 'business'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void enter(isBusiness ? { apiKey: secret.trim() } : { adminSecret: secret.trim() })
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <TextField
        label={isBusiness ? 'API key' : 'Operator secret'}
        hint={
          isBusiness
            ? 'The key is exchanged for a session with the same scopes. This browser does not store the key.'
            : 'The value of ADMIN_SECRET in this deployment.'
        }
        type="password"
        spellCheck={false}
        required
        value={secret}
        onChange={setSecret}
      />
      {error !== null && <Failure error={error} />}
      <Button type="submit" variant={isFirst ? 'primary' : 'outline'} disabled={isBusy}>
        Sign in
      </Button>
    </form>
  )
}
