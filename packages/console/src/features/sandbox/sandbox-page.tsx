// Everything that can be made to happen at the emulated provider, in one place.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Page } from '../../components/page.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { may } from '../../session/session.ts'
import { ClockCard } from './clock-card.tsx'
import { DepositCard } from './deposit-card.tsx'
import { InboxesCard } from './inboxes-card.tsx'
import { PeopleCard } from './kyc/people-card.tsx'
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
      intro="Create test end-users and deposits with any outcome, advance the clock, and simulate provider errors."
    >
      {maySeeMoney && <FaultNotice />}
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {mayPeople && <PeopleCard mayOpen={mayMoney === true} />}
        {mayMoney && <DepositCard />}
      </div>
      {maySeeMoney && <ClockCard mayChange={mayMoney === true} />}
      {mayWebhooks && <InboxesCard mayChange={may(session, 'webhooks:write')} />}
      {mayPeople && <ResetCard />}
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
      <strong className="font-semibold">Simulated provider errors are active.</strong>{' '}
      {waiting.length === 1 ? '1 error is' : `${waiting.length} errors are`} waiting for a request.
    </p>
  )
}

function ResetCard() {
  return (
    <Card title="Reset">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">Delete all end-users of this business, with their accounts and deposits.</p>
        <Confirm
          trigger={
            <Button variant="danger">
              <RotateCcw /> Reset sandbox
            </Button>
          }
          title="Delete all end-users of this business?"
          action="Delete all end-users"
          isDangerous
          onConfirm={async () => {
            const erased = await resetSandbox()
            toast.success(erased === 1 ? '1 end-user deleted.' : `${erased} end-users deleted.`)
          }}
        >
          This also deletes their accounts and deposits, here and at the sandbox provider. API keys, webhook endpoints
          and event numbers are kept. You cannot undo this.
        </Confirm>
      </div>
    </Card>
  )
}
