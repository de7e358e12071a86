// Creates an onboarding link for one end-user, and shows it once.

import type { Body, EndUser, FiatCurrency, OnboardingLocale } from '@causeway/sdk'
import { useState } from 'react'
import { SecretDialog } from '../../../../components/dialogs/secret-dialog.tsx'
import { Time } from '../../../../components/time.tsx'
import { Button } from '../../../../components/ui/button.tsx'
import { Checkbox, SelectField, TextField } from '../../../../components/ui/form.tsx'
import { currencies } from '../../../../subjects/end-user.tsx'
import { makeOnboardingLink } from '../../queries.ts'

const locales: readonly (readonly [locale: OnboardingLocale | '', words: string])[] = [
  ['', 'Browser language, or English'],
  ['en', 'English'],
  ['es', 'Español'],
  ['pt', 'Português'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
]

const lifetimes: readonly (readonly [hours: number, words: string])[] = [
  [1, '1 hour'],
  [4, '4 hours'],
  [24, '24 hours'],
  [48, '2 days'],
  [72, '3 days'],
]

/** Rails in progress; else dollars, until they are open. */
function currenciesToBegin(rails: EndUser['rails']): FiatCurrency[] {
  const asked = currencies.filter((currency) => ['pending', 'action_required'].includes(rails[currency]))
  if (asked.length > 0) return asked
  return rails.usd === 'active' ? [] : ['usd']
}

export function MakeOnboardingLink({ user, onClose }: { user: EndUser; onClose: () => void }) {
  const { externalUserId } = user
  const [rails, setRails] = useState(() => currenciesToBegin(user.rails))
  const [locale, setLocale] = useState<OnboardingLocale | ''>('')
  const [hours, setHours] = useState(24)
  const [redirectUri, setRedirectUri] = useState('')
  const [expiresAt, setExpiresAt] = useState('')
  const make = async () => {
    const body: Body<'createOnboardingLink'> = { rails, expiresInHours: hours }
    if (locale !== '') body.locale = locale
    if (redirectUri !== '') body.redirectUri = redirectUri
    const link = await makeOnboardingLink(externalUserId, body)
    setExpiresAt(link.expiresAt)
    return link.url
  }
  return (
    <SecretDialog
      title="Create onboarding link"
      description="The end-user opens the link, accepts the terms and completes KYC. Creating a link revokes the previous one."
      name="link"
      action="Create link"
      isReady={rails.length > 0}
      onMake={make}
      onClose={onClose}
      afterwards={(url) => <Afterwards externalUserId={externalUserId} url={url} expiresAt={expiresAt} />}
    >
      <CurrenciesField rails={user.rails} chosen={rails} onChange={setRails} />
      <SelectField label="Language" options={locales} value={locale} onChange={setLocale} />
      <SelectField label="Expires after" options={lifetimes} value={hours} onChange={setHours} />
      <TextField
        label="Redirect URL"
        hint="Optional. An https URL. We append onboarding=approved, pending or stopped."
        type="url"
        maxLength={2048}
        placeholder="https://"
        value={redirectUri}
        onChange={setRedirectUri}
      />
    </SecretDialog>
  )
}

type CurrenciesProps = {
  rails: EndUser['rails']
  chosen: readonly FiatCurrency[]
  onChange: (chosen: FiatCurrency[]) => void
}

function CurrenciesField({ rails, chosen, onChange }: CurrenciesProps) {
  const toggle = (currency: FiatCurrency, isOn: boolean) =>
    onChange(currencies.filter((one) => (one === currency ? isOn : chosen.includes(one))))
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 font-medium">Currencies</legend>
      <div className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3">
        {currencies.map((currency) => (
          <Checkbox
            key={currency}
            label={
              <>
                {currency.toUpperCase()}
                {rails[currency] === 'active' && <span className="text-soft"> (active)</span>}
              </>
            }
            checked={chosen.includes(currency)}
            onChange={({ target }) => toggle(currency, target.checked)}
          />
        ))}
      </div>
    </fieldset>
  )
}

function Afterwards({ externalUserId, url, expiresAt }: { externalUserId: string; url: string; expiresAt: string }) {
  return (
    <>
      <p className="text-soft">
        This link is only for <strong className="break-all text-ink">{externalUserId}</strong>. Anyone who opens it can
        act as this end-user. It expires at <Time at={expiresAt} />.
      </p>
      <p>
        <Button asChild size="sm">
          <a href={url} target="_blank" rel="noreferrer">
            Open link
          </a>
        </Button>
      </p>
    </>
  )
}
