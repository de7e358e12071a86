// How the page looks on which an end-user onboards by a link: name, logo, colors, whom to ask, and which sites may show it.

import type { Branding } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Page } from '../../components/page.tsx'
import { Failure, Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field, Textarea, TextField } from '../../components/ui/form.tsx'
import { may } from '../../session/session.ts'
import { ColorField } from './color-field.tsx'
import { LogoField } from './logo-field.tsx'
import { Preview } from './preview.tsx'
import { brandingQuery, saveBranding } from './queries.ts'
import { bodyOf, faultsOf, type Settings, settingsOf } from './settings.ts'

const frame = getRouteApi('/business')

export function BrandingPage() {
  const { session } = frame.useRouteContext()
  const { data, error, refetch } = useQuery(brandingQuery)
  return (
    <Page
      title="Branding"
      intro="How the page looks on which an end-user onboards by a link, whom it names for help, and which of your sites may show it in a frame."
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={8} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Form branding={data} businessName={session.name ?? ''} mayWrite={may(session, 'end_users:write')} />
      )}
    </Page>
  )
}

type FormProps = { branding: Branding; businessName: string; mayWrite: boolean }

/** What is typed stays while the branding is read again; what was saved is shown as the server holds it. */
function Form({ branding, businessName, mayWrite }: FormProps) {
  const [settings, setSettings] = useState(() => settingsOf(branding, businessName))
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<{ error: unknown; settings: Settings } | null>(null)
  const set = (part: Partial<Settings>) => setSettings((before) => ({ ...before, ...part }))
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefused(null)
    try {
      setSettings(settingsOf(await saveBranding(bodyOf(settings)), businessName))
      toast.success('Saved')
    } catch (error) {
      setRefused({ error, settings })
    } finally {
      setBusy(false)
    }
  }
  const refusalOf = refused === null ? () => undefined : faultsOf(refused.error, refused.settings)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <form aria-label="Branding" onSubmit={(event) => void save(event)}>
        {/* What may not be changed is shown all the same. */}
        <fieldset disabled={!mayWrite} className="grid min-w-0 gap-5">
          <Look settings={settings} set={set} businessName={businessName} refusalOf={refusalOf} />
          <Around settings={settings} set={set} refusalOf={refusalOf} />
          {refused !== null && <Failure error={refused.error} />}
          {mayWrite && (
            <div className="flex justify-end">
              <Button type="submit" variant="primary" disabled={isBusy}>
                Save
              </Button>
            </div>
          )}
        </fieldset>
      </form>
      <Card title="Preview" className="lg:sticky lg:top-6">
        <Preview settings={settings} businessName={businessName} saved={branding.colors} />
      </Card>
    </div>
  )
}

type PartProps = {
  settings: Settings
  set: (part: Partial<Settings>) => void
  refusalOf: (param: string) => string | undefined
}

const colorFields = [
  ['primary', 'Buttons and links', 'Text on buttons is black or white.'],
  ['background', 'Background', 'Of the whole page.'],
  ['text', 'Text', 'On the background.'],
] as const

function Look({ settings, set, businessName, refusalOf }: PartProps & { businessName: string }) {
  const { name, logo, colors } = settings
  return (
    <Card title="Look">
      <div className="grid gap-4">
        <TextField
          label="Name"
          hint="Empty: the name that the operator gave your business."
          fault={refusalOf('name')}
          maxLength={80}
          placeholder={businessName}
          value={name}
          onChange={(name) => set({ name })}
        />
        <LogoField
          value={logo}
          onChange={(logo) => set({ logo })}
          ground={colors.background}
          refusal={refusalOf('logo')}
        />
        <div className="grid items-start gap-4 sm:grid-cols-3">
          {colorFields.map(([part, label, hint]) => (
            <ColorField
              key={part}
              label={label}
              hint={hint}
              value={colors[part]}
              onChange={(color) => set({ colors: { ...colors, [part]: color } })}
              ground={part === 'background' ? null : colors.background}
              refusal={refusalOf(`colors.${part}`)}
            />
          ))}
        </div>
      </div>
    </Card>
  )
}

function Around({ settings, set, refusalOf }: PartProps) {
  const { supportEmail, privacyUrl, sites } = settings
  return (
    <Card title="Help, privacy and your sites">
      <div className="grid gap-4">
        <TextField
          label="Support e-mail"
          hint="Whom the page names to somebody it cannot help."
          fault={refusalOf('supportEmail')}
          type="email"
          maxLength={320}
          value={supportEmail}
          onChange={(supportEmail) => set({ supportEmail })}
        />
        <TextField
          label="Privacy notice"
          hint="Your own, by https."
          fault={refusalOf('privacyUrl')}
          type="url"
          placeholder="https://"
          value={privacyUrl}
          onChange={(privacyUrl) => set({ privacyUrl })}
        />
        <Field
          label="Sites that may show the page in a frame"
          hint="One a line, at most 20: https://app.example.com. Without one, no site may."
          fault={refusalOf('embedOrigins')}
        >
          {(attributes) => (
            <Textarea
              {...attributes}
              className="font-mono text-xs"
              rows={3}
              spellCheck={false}
              value={sites}
              onChange={({ target }) => set({ sites: target.value })}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}
