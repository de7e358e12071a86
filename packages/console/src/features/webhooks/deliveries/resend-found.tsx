// Sends everything that failed and that a filter finds again, once its reader has seen how much that is.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { Time } from '../../../components/time.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { countDeliveries, countedMax, type DeliverySearch, retryFailed } from './delivery-queries.ts'

export function ResendFound({ search }: { search: DeliverySearch }) {
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const send = async () => {
    const replays = await retryFailed(search)
    const [first, ...others] = replays
    if (!first) toast.success('There was nothing to send again.')
    else if (others.length === 0) await navigate({ to: '/webhooks/replays/$id', params: { id: first.id } })
    else
      toast.success(
        `${replays.length} replays have begun, one for each endpoint. Its page shows how far each has come.`,
      )
  }
  return (
    <Confirm
      title="Send all of these again?"
      action="Send them again"
      onConfirm={send}
      trigger={
        <Button size="sm" variant="primary" onClick={() => setAsked(true)}>
          <Send /> Send all again…
        </Button>
      }
    >
      <Found search={search} isAsked={isAsked} />
    </Confirm>
  )
}

/** Counting reads the list, so it is done when it is asked for. */
function Found({ search, isAsked }: { search: DeliverySearch; isAsked: boolean }) {
  const { data: count, error } = useQuery({
    queryKey: ['delivery-count', search],
    queryFn: ({ signal }) => countDeliveries(search, signal),
    enabled: isAsked,
    staleTime: 0,
  })
  const { eventType, externalUserId, from, to } = search
  return (
    <div className="grid gap-3">
      <p>
        {error ? 'They could not be counted. ' : count === undefined ? 'Counting… ' : `${countWords(count)} `}
        They are sent in the background, in order, beside the events that come meanwhile.
      </p>
      <ul className="list-inside list-disc">
        <li>Failed: given up or cancelled</li>
        {eventType !== undefined && <li>Event type {eventType}</li>}
        {externalUserId !== undefined && <li>End-user {externalUserId}</li>}
        <li>
          {from === undefined ? (
            'From 31 days before the end'
          ) : (
            <>
              From <Time at={from} />
            </>
          )}
        </li>
        <li>
          {to === undefined ? (
            'Until now'
          ) : (
            <>
              Until <Time at={to} />
            </>
          )}
        </li>
      </ul>
    </div>
  )
}

function countWords(count: number): string {
  if (count >= countedMax) return `${countedMax.toLocaleString('en')} deliveries or more.`
  return count === 1 ? 'One delivery.' : `${count} deliveries.`
}
