// Says, above a page that another sign-in has replaced, who is signed in now.

import { Button } from '../components/ui/button.tsx'
import { Dialog } from '../components/ui/dialog.tsx'
import type { Session } from '../session/session.ts'

type Props = { now: Session; shown: Session | null }

export function ChangedDialog({ now, shown }: Props) {
  return (
    <Dialog title={`You are signed in as ${nameOf(now)} now`} open isFinal>
      <p className="text-soft">
        Another tab signed in. This page still shows {nameOf(shown)} and cannot load or change anything until you reload
        it.
      </p>
      <div className="flex justify-end">
        <Button variant="primary" onClick={() => location.assign('/console/')}>
          Continue as {nameOf(now)}
        </Button>
      </div>
    </Dialog>
  )
}

function nameOf(session: Session | null): string {
  if (session === null) return 'nobody'
  const { role, name, customerId, staff } = session
  const owner = role === 'operator' ? 'the operator' : (name ?? customerId ?? '')
  const person = staff?.email ?? staff?.name
  return person == null ? owner : `${person} of ${owner}`
}
