// The settings of an alert channel, for creating one and for changing one.

import type { AlertChannel, AlertChannelType } from '@causeway/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ActionForm } from '../../components/dialogs/action-form.tsx'
import { Checkbox, Field, SelectField, Textarea, TextField } from '../../components/ui/form.tsx'
import type { Session } from '../../session/session.ts'
import type { NewChannel } from './queries.ts'
import { kindOptions, typeWords } from './words.ts'

const root = getRouteApi('__root__')

type Kinds = NonNullable<NewChannel['kinds']>

type Props = {
  /** The settings to begin with; undefined for a new channel. */
  channel?: AlertChannel
  role: Session['role']
  action: string
  onSubmit: (settings: Omit<NewChannel, 'type'>, type: AlertChannelType) => Promise<unknown>
}

const typeOptions = Object.entries(typeWords) as [AlertChannelType, string][]

const urlHints = {
  slack: 'The URL of an incoming webhook of Slack, or of a service that accepts the same requests.',
  webhook: 'An https URL with a public host. You see the signing secret once, after you create the channel.',
} as const

export function ChannelForm({ channel, role, action, onSubmit }: Props) {
  const { canEmail } = root.useLoaderData()
  const [type, setType] = useState<AlertChannelType>(channel?.type ?? (canEmail ? 'email' : 'slack'))
  const [name, setName] = useState(channel?.name ?? '')
  const [emails, setEmails] = useState(channel?.emails.join('\n') ?? '')
  const [url, setUrl] = useState('')
  const [minutes, setMinutes] = useState(String(channel?.endpointFailingMinutes ?? 15))
  const [kinds, setKinds] = useState<Kinds>((channel?.kinds as Kinds | undefined) ?? ['*'])
  const submit = () =>
    onSubmit(
      {
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(type === 'email' ? { emails: emailsIn(emails) } : url !== '' && { url: url.trim() }),
        ...(role === 'business' && { endpointFailingMinutes: Number(minutes) }),
        kinds,
      },
      type,
    )
  return (
    <ActionForm action={action} isReady={kinds.length > 0} onSubmit={submit}>
      {channel === undefined && (
        <SelectField
          label="Type"
          hint={canEmail ? undefined : 'Email is not available: this deployment has no mail server.'}
          options={typeOptions.filter(([option]) => canEmail || option !== 'email')}
          value={type}
          onChange={setType}
        />
      )}
      <TextField label="Name" hint="For your own reference." maxLength={100} value={name} onChange={setName} />
      {type === 'email' ? (
        <Field label="Email addresses" hint="Up to 10 addresses, one per line.">
          {(attributes) => (
            <Textarea
              {...attributes}
              required
              spellCheck={false}
              placeholder="payments@example.com"
              value={emails}
              onChange={({ target }) => setEmails(target.value)}
            />
          )}
        </Field>
      ) : (
        <TextField
          label="URL"
          hint={channel ? 'Leave empty to keep the stored URL.' : urlHints[type]}
          type="url"
          required={channel === undefined}
          placeholder={channel ? `${channel.urlOrigin}/…` : 'https://example.com/alerts'}
          value={url}
          onChange={setUrl}
        />
      )}
      <KindsField role={role} value={kinds} onChange={setKinds} />
      {role === 'business' && (
        <TextField
          label="Minutes until an endpoint counts as failing"
          hint="From 1 to 1,440. Every attempt must fail for this long."
          type="number"
          required
          min={1}
          max={1_440}
          value={minutes}
          onChange={setMinutes}
        />
      )}
    </ActionForm>
  )
}

const emailsIn = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter((email) => email !== ''))]

type KindsProps = { role: Session['role']; value: Kinds; onChange: (kinds: Kinds) => void }

function KindsField({ role, value, onChange }: KindsProps) {
  const isAll = value.includes('*')
  const group = useId()
  const options = kindOptions(role)
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Kinds of alerts</legend>
      {[true, false].map((all) => (
        <label key={String(all)} className="inline-flex items-center gap-2">
          <input
            type="radio"
            name={group}
            className="size-4 accent-accent"
            checked={isAll === all}
            onChange={() => onChange(all ? ['*'] : options.map(([kind]) => kind))}
          />
          {all ? 'All kinds, also those added later' : 'Selected kinds only'}
        </label>
      ))}
      {!isAll && (
        <div className="grid gap-1.5 pl-6 sm:grid-cols-2">
          {options.map(([kind, words]) => (
            <Checkbox
              key={kind}
              label={words}
              checked={value.includes(kind)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, kind] : value.filter((one) => one !== kind))
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}
