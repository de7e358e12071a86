// Sends a test of a chosen type, and leads to its delivery.

import type { BusinessEventType } from '@causeway/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Field, Select } from '../../../components/ui/form.tsx'
import { causeway } from '../../../session/client.ts'
import { businessEvents, businessEventTypes } from '../../../session/event-types.ts'

export function TestForm({ endpointId, cancel }: { endpointId: string; cancel: ReactNode }) {
  const [eventType, setEventType] = useState<BusinessEventType>('webhook_endpoint.test')
  const navigate = useNavigate()
  const send = useMutation({
    mutationFn: () => causeway.webhookEndpoints.test(endpointId, { eventType }),
    onSuccess: ({ deliveryId }) => navigate({ to: '/webhooks/deliveries/$id', params: { id: deliveryId } }),
  })
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate()
      }}
    >
      <Field label="Event type" hint={`${businessEvents[eventType]}. The body is an example.`}>
        {(attributes) => (
          <Select
            {...attributes}
            value={eventType}
            onChange={(event) => {
              const chosen = businessEventTypes.find((type) => type === event.target.value)
              if (chosen) setEventType(chosen)
            }}
          >
            {businessEventTypes.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {send.error && <Failure error={send.error} />}
      <div className="flex justify-end gap-2">
        {cancel}
        <Button type="submit" variant="primary" disabled={send.isPending}>
          Send the test
        </Button>
      </div>
    </form>
  )
}
