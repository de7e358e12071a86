// Resends everything that was attempted and not delivered, once its reader has seen how much that is.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { Time } from '../../../components/time.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { type DeliverySearch, retryUndelivered } from './delivery-queries.ts'

/** @param search what is resent: its state and its page are left out of account */
export function ResendUndelivered({ search }: { search: DeliverySearch }) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const { data: found, error } = useQuery({
    queryKey: ['undelivered-count', search],
    queryFn: () => retryUndelivered(search, { dryRun: true }),
    enabled: isOpen,
    gcTime: 0,
  })
  const send = async () => {
    const { deliveryCount, replays } = await retryUndelivered(search)
    const [first, ...others] = replays
    toast.success(`${deliveriesText(deliveryCount)} queued.`)
    if (first && others.length === 0) await navigate({ to: '/webhooks/replays/$id', params: { id: first.id } })
  }
  return (
    <Confirm
      title="Resend all undelivered?"
      action={found ? `Resend ${deliveriesText(found.deliveryCount)}` : 'Resend'}
      onConfirm={send}
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm">
          <Send /> Resend all undelivered
        </Button>
      }
    >
      <div className="grid gap-3">
        <p className="font-medium text-ink">
          {error
            ? 'The deliveries could not be counted.'
            : found
              ? `${deliveriesText(found.deliveryCount)}.`
              : 'Counting…'}
        </p>
        <p>
          Every delivery that was attempted and not delivered, waiting retries included, is due now and gets a new retry
          schedule. They are sent in order, next to new events.
        </p>
        <Narrowed search={search} />
      </div>
    </Confirm>
  )
}

function Narrowed({ search: { eventType, externalUserId, from, to } }: { search: DeliverySearch }) {
  return (
    <ul className="list-inside list-disc">
      {eventType !== undefined && <li>Event type {eventType}</li>}
      {externalUserId !== undefined && <li>End-user {externalUserId}</li>}
      <li>
        {from === undefined ? (
          'Events of 31 days'
        ) : (
          <>
            Events since <Time at={from} />
          </>
        )}
      </li>
      {to !== undefined && (
        <li>
          Events until <Time at={to} />
        </li>
      )}
    </ul>
  )
}

const deliveriesText = (count: number) => (count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`)
