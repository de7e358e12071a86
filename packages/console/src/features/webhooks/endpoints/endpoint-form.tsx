// The settings of an endpoint, for making one and for changing one.

import type { DeliveryOrdering, EventSource, WebhookEndpoint } from '@causeway/sdk'
import { useState } from 'react'
import { ActionForm } from '../../../components/dialogs/action-form.tsx'
import { Checkbox, SelectField, TextField } from '../../../components/ui/form.tsx'
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
  onSubmit: (settings: EndpointSettings) => Promise<unknown>
}

const sources: readonly EventSource[] = ['causeway', 'provider']

const orderings: readonly (readonly [DeliveryOrdering, words: string])[] = [
  ['best_effort', 'Best effort: a failed event does not block others'],
  ['per_end_user', 'Strict order per end-user'],
]

export function EndpointForm({ endpoint, action, onSubmit }: Props) {
  const [settings, setSettings] = useState<EndpointSettings>({
    webhookUrl: endpoint?.webhookUrl ?? '',
    description: endpoint?.description ?? null,
    eventTypes: endpoint?.eventTypes ?? ['*'],
    sources: endpoint?.sources ?? [...sources],
    ordering: endpoint?.ordering ?? 'best_effort',
  })
  const change = (part: Partial<EndpointSettings>) => setSettings({ ...settings, ...part })
  return (
    <ActionForm action={action} isReady={settings.sources.length > 0} onSubmit={() => onSubmit(settings)}>
      <TextField
        label="URL"
        hint="An https URL with a public host. The sandbox also accepts http on this machine."
        type="url"
        required
        placeholder="https://example.com/webhooks"
        value={settings.webhookUrl}
        onChange={(webhookUrl) => change({ webhookUrl })}
      />
      <TextField
        label="Description"
        hint="For your own reference."
        maxLength={200}
        value={settings.description ?? ''}
        onChange={(text) => change({ description: text === '' ? null : text })}
      />
      <Sources value={settings.sources} onChange={(next) => change({ sources: next })} />
      <EventTypesField value={settings.eventTypes} onChange={(eventTypes) => change({ eventTypes })} />
      <SelectField
        label="Ordering"
        hint="With strict order, a failed event blocks later events of the same end-user until it is delivered."
        options={orderings}
        value={settings.ordering}
        onChange={(ordering) => change({ ordering })}
      />
    </ActionForm>
  )
}

type SourcesProps = { value: readonly EventSource[]; onChange: (sources: EventSource[]) => void }

function Sources({ value, onChange }: SourcesProps) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 font-medium">Sources</legend>
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
