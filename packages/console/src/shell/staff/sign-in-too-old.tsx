// Notices that the server rejected a request because the staff member signed in too long ago.

import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { whenSignInTooOld } from '../../session/client.ts'
import { goToIssuer, knownSession } from '../../session/session.ts'

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

export function SignInTooOld() {
  const [isAsked, setAsked] = useState(false)
  const router = useRouter()
  useEffect(() => whenSignInTooOld(() => setAsked(true)), [])
  if (!isAsked) return null
  const owner = knownSession()?.customerId ?? 'operator'
  return (
    <Suspense>
      <SignInAgain
        onSignIn={() => goToIssuer({ owner, next: router.state.location.href, isFresh: true })}
        onClose={() => setAsked(false)}
      />
    </Suspense>
  )
}
