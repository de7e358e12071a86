// The frame of the pages for signed-out users, and what happens when a credential is accepted or refused.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { type Credential, type Session, signIn } from '../../session/session.ts'
import { Mark } from '../mark.tsx'

export function Frame({ title, children }: { title: string; children: ReactNode }) {
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
export function useSignIn() {
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
