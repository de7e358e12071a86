// Everything that can be made to happen at the emulated provider, in one place.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Page } from '../../components/page.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { may } from '../../session/session.ts'
import { ClockCard } from './clock-card.tsx'
import { DepositCard } from './deposit-card.tsx'
import { FaultsCard } from './faults-card.tsx'
import { InboxesCard } from './inboxes-card.tsx'
import { PersonCard } from './person-card.tsx'
import { faultsQuery, resetSandbox } from './queries.ts'

const frame = getRouteApi('/business')

export function SandboxPage() {
  const { session } = frame.useRouteContext()
  const [mayPeople, mayMoney, maySeeMoney, mayWebhooks] = (
    ['end_users:write', 'virtual_accounts:write', 'virtual_accounts:read', 'webhooks:read'] as const
  ).map((scope) => may(session, scope))
  return (
    <Page
      title="Sandbox"
      intro="Make people and deposits with any outcome, move the clock, break the provider, and watch what your receiver gets. Nothing here is real."
      actions={mayPeople && <Reset />}
    >
      {maySeeMoney && <FaultNotice />}
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {mayPeople && <PersonCard mayOpen={mayMoney === true} />}
        {mayMoney && <DepositCard />}
        {maySeeMoney && <ClockCard mayMove={mayMoney === true} />}
        {maySeeMoney && <FaultsCard mayChange={mayMoney === true} />}
      </div>
      {mayWebhooks && <InboxesCard mayChange={may(session, 'webhooks:write')} />}
    </Page>
  )
}

/** A fault that is forgotten looks like a bug of one's own. */
function FaultNotice() {
  const { data } = useQuery(faultsQuery)
  const waiting = data?.filter(({ timesLeft }) => timesLeft > 0) ?? []
  if (waiting.length === 0) return null
  return (
    <p role="status" className="rounded-lg border border-warn/40 bg-warn-soft px-4 py-2.5">
      <strong className="font-semibold">The provider fails on purpose.</strong>{' '}
      {waiting.length === 1 ? 'A fault waits' : `${waiting.length} faults wait`} for a request.
    </p>
  )
}

function Reset() {
  return (
    <Confirm
      trigger={
        <Button variant="danger">
          <RotateCcw /> Reset
        </Button>
      }
      title="Forget every end-user of this business?"
      action="Forget them all"
      isDangerous
      onConfirm={async () => {
        const erased = await resetSandbox()
        toast.success(erased === 1 ? 'One end-user is forgotten.' : `${erased} end-users are forgotten.`)
      }}
    >
      Their accounts and deposits go as well, here and at the emulated provider. API keys, webhook endpoints and the
      numbers of events stay. This cannot be taken back.
    </Confirm>
  )
}
