// Notices that another tab has signed in as somebody else. The cookie is one for all tabs, so this page can do nothing more.

import { lazy, Suspense, useSyncExternalStore } from 'react'
import { shownSessionId } from '../session/client.ts'
import { currentSession, knownSession, type Session } from '../session/session.ts'

const ChangedDialog = lazy(async () => ({ default: (await import('./changed-dialog.tsx')).ChangedDialog }))

const cookieMs = 500

let changed: Session | null = null
let watch = (): void => {}

/** Looks who is signed in now. @param onSessionEnd called when nobody is */
export async function lookWhoIsSignedIn(onSessionEnd: () => void): Promise<void> {
  const shown = shownSessionId()
  if (shown === undefined) return
  const ask = () => currentSession().catch(() => undefined) // the next request finds out
  let now = await ask()
  if (now === null) {
    // A sign-in in another tab ends this session a moment before the browser has its cookie.
    await new Promise((resolve) => setTimeout(resolve, cookieMs))
    now = await ask()
  }
  if (now === undefined || shown !== shownSessionId()) return
  if (now === null) return onSessionEnd()
  changed = now.id === shown ? null : now
  watch()
}

export function SessionChanged() {
  const now = useSyncExternalStore(
    (listener) => {
      watch = listener
      return () => {
        watch = () => {}
      }
    },
    () => changed,
  )
  if (now === null) return null
  return (
    <Suspense>
      <ChangedDialog now={now} shown={knownSession()} />
    </Suspense>
  )
}
