// Begins a replay of a time range, and leads to its progress.

import type { ReplaySelection } from '@causeway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ActionForm } from '../../../components/dialogs/action-form.tsx'
import { localTime, momentOf } from '../../../components/lists/filter-fields.tsx'
import { SelectField, TextField } from '../../../components/ui/form.tsx'
import { suggestedFilters } from '../../../session/event-types.ts'
import { startReplay } from '../queries.ts'
import { selectionWords } from '../words.ts'

const dayMs = 86_400_000

const selections: readonly ReplaySelection[] = ['undelivered', 'failed', 'missing', 'delivered', 'all']
const choices = selections.map((value) => [value, selectionWords[value]] as const)

export function ReplayForm({ endpointId }: { endpointId: string }) {
  const [from, setFrom] = useState(() => localTime(new Date(Date.now() - dayMs).toISOString()))
  const [to, setTo] = useState('')
  const [status, setStatus] = useState<ReplaySelection>('undelivered')
  const [eventType, setEventType] = useState('')
  const navigate = useNavigate()
  const typesId = useId()
  const start = async () => {
    const { id } = await startReplay(endpointId, {
      from: momentOf(from) ?? '',
      to: momentOf(to) ?? new Date().toISOString(),
      status,
      ...(eventType.trim() !== '' && { eventTypes: [eventType.trim()] }),
    })
    await navigate({ to: '/webhooks/replays/$id', params: { id } })
  }
  return (
    <ActionForm action="Start replay" onSubmit={start}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="From"
          hint="At most 31 days in one replay."
          type="datetime-local"
          required
          value={from}
          onChange={setFrom}
        />
        <TextField label="To" hint="Default: now." type="datetime-local" value={to} onChange={setTo} />
      </div>
      <SelectField label="Events to replay" options={choices} value={status} onChange={setStatus} />
      <TextField
        label="Event type"
        hint="Default: the endpoint’s current event types."
        list={typesId}
        value={eventType}
        onChange={setEventType}
      />
      <datalist id={typesId}>
        {suggestedFilters.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </ActionForm>
  )
}
