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
      intro="Customize the onboarding page: name, colors, support contact, and the sites that may embed it."
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

/** Input stays while the branding is reloaded; saved values are shown as the server stores them. */
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
      toast.success('Branding saved.')
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
  ['primary', 'Buttons and links', 'Button text is black or white.'],
  ['background', 'Background', 'The whole page.'],
  ['text', 'Text', 'Shown on the background.'],
] as const

function Look({ settings, set, businessName, refusalOf }: PartProps & { businessName: string }) {
  const { name, logo, colors } = settings
  return (
    <Card title="Appearance">
      <div className="grid gap-4">
        <TextField
          label="Name"
          hint="Default: your business name."
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
    <Card title="Support and embedding">
      <div className="grid gap-4">
        <TextField
          label="Support email"
          hint="Shown to end-users who need help."
          fault={refusalOf('supportEmail')}
          type="email"
          maxLength={320}
          value={supportEmail}
          onChange={(supportEmail) => set({ supportEmail })}
        />
        <TextField
          label="Privacy notice"
          hint="An https URL."
          fault={refusalOf('privacyUrl')}
          type="url"
          placeholder="https://"
          value={privacyUrl}
          onChange={(privacyUrl) => set({ privacyUrl })}
        />
        <Field
          label="Allowed embed origins"
          hint="One per line, at most 20, for example https://app.example.com. If empty, no site can embed the page."
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
