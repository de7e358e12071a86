// The settings of an endpoint, for making one and for changing one.

import type { DeliveryOrdering, EventSource, WebhookEndpoint } from '@causeway/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Checkbox, Field, Input, Select } from '../../../components/ui/form.tsx'
import { sourceWords } from '../../../session/event-types.ts'
import { EventTypesField } from './event-types-field.tsx'

export type EndpointSettings = {
  webhookUrl: string
  description: string | null
  eventTypes: string[]
  sources: EventSource[]
  ordering: DeliveryOrdering
}

type Props = {
  /** The settings to begin with; undefined for a new endpoint. */
  endpoint?: WebhookEndpoint
  action: string
  cancel: ReactNode
  onSubmit: (settings: EndpointSettings) => Promise<unknown>
}

const sources: readonly EventSource[] = ['causeway', 'provider']

export function EndpointForm({ endpoint, action, cancel, onSubmit }: Props) {
  const [settings, setSettings] = useState<EndpointSettings>({
    webhookUrl: endpoint?.webhookUrl ?? '',
    description: endpoint?.description ?? null,
    eventTypes: endpoint?.eventTypes ?? ['*'],
    sources: endpoint?.sources ?? [...sources],
    ordering: endpoint?.ordering ?? 'best_effort',
  })
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const change = (part: Partial<EndpointSettings>) => setSettings({ ...settings, ...part })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    await onSubmit(settings).catch(setError)
    setBusy(false)
  }
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <Field
        label="URL"
        hint="An https address of a public host. In the sandbox, http on this machine is taken as well."
      >
        {(attributes) => (
          <Input
            {...attributes}
            type="url"
            required
            placeholder="https://example.com/webhooks"
            value={settings.webhookUrl}
            onChange={(event) => change({ webhookUrl: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" hint="For you: what is behind the address.">
        {(attributes) => (
          <Input
            {...attributes}
            maxLength={200}
            value={settings.description ?? ''}
            onChange={(event) => change({ description: event.target.value === '' ? null : event.target.value })}
          />
        )}
      </Field>
      <Sources value={settings.sources} onChange={(next) => change({ sources: next })} />
      <EventTypesField value={settings.eventTypes} onChange={(eventTypes) => change({ eventTypes })} />
      <Ordering value={settings.ordering} onChange={(ordering) => change({ ordering })} />
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        {cancel}
        <Button type="submit" variant="primary" disabled={isBusy || settings.sources.length === 0}>
          {action}
        </Button>
      </div>
    </form>
  )
}

type SourcesProps = { value: readonly EventSource[]; onChange: (sources: EventSource[]) => void }

function Sources({ value, onChange }: SourcesProps) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 font-medium">Whose events</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-1.5">
        {sources.map((source) => (
          <Checkbox
            key={source}
            label={sourceWords[source]}
            checked={value.includes(source)}
            onChange={(event) =>
              onChange(sources.filter((one) => (one === source ? event.target.checked : value.includes(one))))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

type OrderingProps = { value: DeliveryOrdering; onChange: (ordering: DeliveryOrdering) => void }

function Ordering({ value, onChange }: OrderingProps) {
  return (
    <Field
      label="Order after a failure"
      hint="Strict order: a failed event holds up the later ones of the same end-user until it has arrived."
    >
      {(attributes) => (
        <Select
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.target.value === 'per_end_user' ? 'per_end_user' : 'best_effort')}
        >
          <option value="best_effort">A failed event holds up no other</option>
          <option value="per_end_user">Strict order for each end-user</option>
        </Select>
      )}
    </Field>
  )
}
