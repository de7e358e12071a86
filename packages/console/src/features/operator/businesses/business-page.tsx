// One business: its state, its figures, its keys.

import type { Customer } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Copyable } from '../../../components/copy-button.tsx'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { ListCard } from '../../../components/lists/list-card.tsx'
import { Facts } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { present } from '../../../search.ts'
import { mayOperate } from '../../../session/session.ts'
import { changeBusiness, keysQuery } from '../queries.ts'
import { keyColumns } from './columns.tsx'
import { FiguresCard } from './figures-card.tsx'
import { BusinessFrame } from './frame.tsx'
import { IssueKey } from './issue-key.tsx'
import { Rename } from './name-dialog.tsx'

const route = getRouteApi('/operator/businesses/$customerId')
const operator = getRouteApi('/operator')

export function BusinessPage() {
  const { customerId } = route.useParams()
  const mayWrite = mayOperate(operator.useRouteContext().session)
  return (
    <BusinessFrame
      customerId={customerId}
      actions={(business) =>
        mayWrite && (
          <>
            <Rename business={business} />
            {business.status === 'active' ? <Suspend business={business} /> : <Resume business={business} />}
          </>
        )
      }
    >
      {(business) => (
        <>
          <Card>
            <Facts
              facts={[
                ['ID', <Copyable key="id" text={business.id} name="the ID" />],
                ['Created', <TimeAgo key="created" at={business.createdAt} />],
                ['Updated', <TimeAgo key="changed" at={business.updatedAt} />],
              ]}
            />
          </Card>
          <FiguresCard customerId={business.id} />
          <KeysCard key={business.id} business={business} mayWrite={mayWrite} />
        </>
      )}
    </BusinessFrame>
  )
}

function Suspend({ business: { id, name } }: { business: Customer }) {
  return (
    <Confirm
      trigger={<Button variant="danger">Suspend</Button>}
      title={`Suspend ${name}?`}
      action="Suspend"
      isDangerous
      onConfirm={async () => {
        await changeBusiness(id, { status: 'suspended' })
        toast.success('Business suspended.')
      }}
    >
      Requests with its API keys are refused immediately. Causeway still records provider events and sends webhooks. You
      can resume the business at any time.
    </Confirm>
  )
}

function Resume({ business: { id, name } }: { business: Customer }) {
  return (
    <Confirm
      trigger={<Button variant="primary">Resume</Button>}
      title={`Resume ${name}?`}
      action="Resume"
      onConfirm={async () => {
        await changeBusiness(id, { status: 'active' })
        toast.success('Business resumed.')
      }}
    >
      Its API keys are accepted again from now on.
    </Confirm>
  )
}

function KeysCard({ business, mayWrite }: { business: Customer; mayWrite: boolean }) {
  const { cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const keys = useQuery(keysQuery(business.id, cursor))
  return (
    <ListCard
      query={keys}
      title="API keys"
      actions={mayWrite && <IssueKey business={business} />}
      cursor={cursor}
      onPage={(next) => void navigate({ search: present({ cursor: next }) })}
      caption="API keys of the business, newest first"
      columns={keyColumns(mayWrite)}
      idOf={({ id }) => id}
      empty={
        <Empty
          title="No API keys yet"
          command={`causeway customers issue-api-key ${business.id} --set name=Production`}
        >
          Issue a key for the developers of this business. They can create more keys themselves.
        </Empty>
      }
    />
  )
}
