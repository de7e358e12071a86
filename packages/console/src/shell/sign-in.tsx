// Signing in: with a key, with a link, as the operator.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Failure, Skeleton } from '../components/states.tsx'
import { Button } from '../components/ui/button.tsx'
import { TextField } from '../components/ui/form.tsx'
import { queryClient } from '../session/client.ts'
import { type Credential, configQuery, type Session, signIn } from '../session/session.ts'
import { Mark } from './mark.tsx'

function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Causeway`
  }, [title])
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="grid w-full max-w-sm gap-5 rounded-xl border border-line bg-surface p-6 shadow-xs">
        <div className="grid gap-3">
          <Mark className="size-10" />
          <h1 className="font-semibold text-xl">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  )
}

/** Only a path of the console is gone back to. */
function wayBack(next: string | undefined, role: Session['role']): string {
  const first = role === 'operator' ? '/operator' : '/'
  return next?.startsWith('/') && !next.startsWith('//') && next.startsWith('/operator') === (role === 'operator')
    ? next
    : first
}

/** @returns the function that signs in, its error, and whether it is running */
function useSignIn() {
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const enter = async (credential: Credential): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      const { role } = await signIn(credential)
      await navigate({ href: wayBack(next, role), replace: true })
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return { enter, error, isBusy }
}

export function SignInPage() {
  const { enter, error, isBusy } = useSignIn()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const [role, setRole] = useState<Session['role']>(next?.startsWith('/operator') ? 'operator' : 'business')
  const [secret, setSecret] = useState('')
  const isLocal = queryClient.getQueryData(configQuery.queryKey)?.isLocal === true
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void enter(role === 'business' ? { apiKey: secret.trim() } : { adminSecret: secret.trim() })
  }
  const isBusiness = role === 'business'
  return (
    <Frame title="Sign in to Causeway">
      {isLocal && (
        <div className="grid gap-2 border-line border-b pb-5 text-soft">
          <p>This is a local environment. For a link that signs you in, run this command in its folder:</p>
          <code className="font-mono text-ink">npx causeway open</code>
          <p className="text-xs">For the operator’s pages: npx causeway open operator. Or enter the API key:</p>
        </div>
      )}
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label={isBusiness ? 'API key' : 'Operator secret'}
          hint={
            isBusiness
              ? 'The key is exchanged for a session with the same scopes. This browser does not store the key.'
              : 'ADMIN_SECRET of the deployment.'
          }
          type="password"
          spellCheck={false}
          required
          value={secret}
          onChange={setSecret}
        />
        {error !== null && <Failure error={error} />}
        <Button type="submit" variant="primary" disabled={isBusy}>
          Sign in
        </Button>
        <button
          type="button"
          className="justify-self-start text-soft text-xs underline"
          onClick={() => setRole(isBusiness ? 'operator' : 'business')}
        >
          {isBusiness ? 'Sign in as the operator' : 'Sign in with an API key'}
        </button>
      </form>
    </Frame>
  )
}

/** Opens a one-time link. Its code comes after the `#`, and is removed from the URL before anything else happens. */
export function LinkPage() {
  const { enter, error } = useSignIn()
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    const code = location.hash.slice(1)
    history.replaceState(history.state, '', location.pathname)
    void enter({ code })
  })
  return (
    <Frame title={error === null ? 'Opening the link' : 'This link cannot be opened'}>
      {error === null ? (
        <Skeleton lines={2} />
      ) : (
        <>
          <Failure error={error} />
          <p className="text-soft">Each link works once. Ask the sender for a new link.</p>
        </>
      )}
    </Frame>
  )
}
