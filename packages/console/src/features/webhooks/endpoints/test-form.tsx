// Sends a test of a chosen type, and leads to its delivery.

import type { BusinessEventType } from '@causeway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionForm } from '../../../components/dialogs/action-form.tsx'
import { SelectField } from '../../../components/ui/form.tsx'
import { causeway } from '../../../session/client.ts'
import { businessEvents, businessEventTypes } from '../../../session/event-types.ts'

const choices = businessEventTypes.map((type) => [type, type] as const)

export function TestForm({ endpointId }: { endpointId: string }) {
  const [eventType, setEventType] = useState<BusinessEventType>('webhook_endpoint.test')
  const navigate = useNavigate()
  const send = async () => {
    const { deliveryId } = await causeway.webhookEndpoints.test(endpointId, { eventType })
    await navigate({ to: '/webhooks/deliveries/$id', params: { id: deliveryId } })
  }
  return (
    <ActionForm action="Send test" onSubmit={send}>
      <SelectField
        label="Event type"
        hint={`${businessEvents[eventType]}. The body is an example.`}
        options={choices}
        value={eventType}
        onChange={setEventType}
      />
    </ActionForm>
  )
}
