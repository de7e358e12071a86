// Begins a replay of a time range, and leads to its progress.

import type { ReplaySelection } from '@causeway/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { localTime, momentOf } from '../../../components/lists/filter-fields.tsx'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Field, Input, Select } from '../../../components/ui/form.tsx'
import { suggestedFilters } from '../../../session/event-types.ts'
import { startReplay } from '../queries.ts'
import { selectionWords } from '../words.ts'

const dayMs = 86_400_000

const selections = [
  'undelivered',
  'failed',
  'missing',
  'delivered',
  'all',
] as const satisfies readonly ReplaySelection[]

type Props = { endpointId: string; cancel: ReactNode }

export function ReplayForm({ endpointId, cancel }: Props) {
  const [from, setFrom] = useState(() => localTime(new Date(Date.now() - dayMs).toISOString()))
  const [to, setTo] = useState('')
  const [status, setStatus] = useState<ReplaySelection>('undelivered')
  const [eventType, setEventType] = useState('')
  const navigate = useNavigate()
  const typesId = useId()
  const start = useMutation({
    mutationFn: () =>
      startReplay(endpointId, {
        from: momentOf(from) ?? '',
        to: momentOf(to) ?? new Date().toISOString(),
        status,
        ...(eventType.trim() !== '' && { eventTypes: [eventType.trim()] }),
      }),
    onSuccess: ({ id }) => navigate({ to: '/webhooks/replays/$id', params: { id } }),
  })
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="From" hint="At most 31 days in one replay.">
          {(attributes) => (
            <Input
              {...attributes}
              type="datetime-local"
              required
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
          )}
        </Field>
        <Field label="To" hint="Empty: until now.">
          {(attributes) => (
            <Input {...attributes} type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
          )}
        </Field>
      </div>
      <Field label="What is sent">
        {(attributes) => (
          <Select
            {...attributes}
            value={status}
            onChange={(event) => setStatus(selections.find((one) => one === event.target.value) ?? 'undelivered')}
          >
            {selections.map((value) => (
              <option key={value} value={value}>
                {selectionWords[value]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Event type" hint="Empty: what the endpoint subscribes to now.">
        {(attributes) => (
          <>
            <Input
              {...attributes}
              list={typesId}
              value={eventType}
              onChange={(event) => setEventType(event.target.value)}
            />
            <datalist id={typesId}>
              {suggestedFilters.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      {start.error && <Failure error={start.error} />}
      <div className="flex justify-end gap-2">
        {cancel}
        <Button type="submit" variant="primary" disabled={start.isPending}>
          Start the replay
        </Button>
      </div>
    </form>
  )
}
