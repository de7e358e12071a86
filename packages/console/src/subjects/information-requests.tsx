// The provider's requests for information about an end-user or a deposit. The operator responds, so there is no link here.

import type { EndUser } from '@causeway/sdk'
import { Time, TimeAgo } from '../components/time.tsx'
import { Badge } from '../components/ui/badge.tsx'
import { Card } from '../components/ui/card.tsx'

type Requests = EndUser['informationRequests']

/** Shows the open requests; nothing when there is none. */
export function InformationRequestsCard({ requests }: { requests: Requests }) {
  if (requests.length === 0) return null
  return (
    <Card title="Information requests">
      <div className="grid gap-4">
        <p className="text-soft">
          The provider requested information. Contact your Causeway operator, who responds, and quote the ID.
        </p>
        {requests.map((request) => (
          <Request key={request.id} request={request} />
        ))}
      </div>
    </Card>
  )
}

function Request({ request }: { request: Requests[number] }) {
  const { id, state, deadline, actionTaken } = request
  return (
    <div className="grid gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={state === 'action_required' ? 'warn' : 'busy'}>
          {state === 'action_required' ? 'Action required' : 'In review'}
        </Badge>
        <code className="break-all font-mono text-xs">{id}</code>
      </span>
      {deadline !== null && state === 'action_required' && (
        <span>
          Deadline: <Time at={deadline} /> (<TimeAgo at={deadline} />)
        </span>
      )}
      {actionTaken !== null && (
        <span className="text-soft">Paused by the provider: {actionTaken.replaceAll('_', ' ')}</span>
      )}
    </div>
  )
}
