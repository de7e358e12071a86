// How the first screen of the onboarding page looks, small.

import type { Branding } from '@causeway/sdk'
import { isColor, readableOn } from './contrast.ts'
import type { Settings } from './settings.ts'

type Props = {
  settings: Settings
  /** Shown where no other is set. */
  businessName: string
  /** Replaces colors that are incomplete while typing. */
  saved: Branding['colors']
}

export function Preview({ settings, businessName, saved }: Props) {
  const { logo, colors, supportEmail, privacyUrl } = settings
  const name = settings.name.trim() || businessName
  const [primary, background, text] = (['primary', 'background', 'text'] as const).map((part) =>
    isColor(colors[part]) ? colors[part] : saved[part],
  ) as [string, string, string]
  return (
    <figure className="grid gap-2">
      <div className="grid gap-3 rounded-lg border border-line p-4" style={{ background, color: text }}>
        {logo === null ? (
          <strong className="wrap-anywhere">{name}</strong>
        ) : (
          <img src={logo} alt={name} className="max-h-12 max-w-48" />
        )}
        <p className="font-semibold text-lg leading-tight">Verify your identity</p>
        <p className="wrap-anywhere">
          {name} needs to verify who you are before you can move money. This takes about five minutes.
        </p>
        <span
          className="rounded-lg px-4 py-2 text-center font-semibold"
          style={{ background: primary, color: readableOn(primary) }}
        >
          Begin
        </span>
        {(privacyUrl.trim() !== '' || supportEmail.trim() !== '') && (
          <p className="grid gap-1 text-xs">
            {privacyUrl.trim() !== '' && <Linked color={primary}>Privacy notice</Linked>}
            {supportEmail.trim() !== '' && <Linked color={primary}>Need help? Write to {supportEmail.trim()}.</Linked>}
          </p>
        )}
      </div>
      <figcaption className="text-soft text-xs">
        The first screen of the onboarding page. To see every screen, open an end-user and create an onboarding link.
      </figcaption>
    </figure>
  )
}

function Linked({ color, children }: { color: string; children: React.ReactNode }) {
  return (
    <span className="wrap-anywhere underline" style={{ color }}>
      {children}
    </span>
  )
}
