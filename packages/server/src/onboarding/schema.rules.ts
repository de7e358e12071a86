// The API representation of onboarding links and of branding: one object is schema, type and documentation.

import { type Static, Type } from 'typebox'
import { anyId, externalUserId, idOf, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { fiatCurrencies } from '../platform/values/rails.ts'

export const locales = ['en', 'es', 'pt', 'fr', 'de'] as const
export type Locale = (typeof locales)[number]

export const locale = oneOf('OnboardingLocale', locales)

const currency = oneOf('FiatCurrency', fiatCurrencies)

export const rails = Type.Array(currency, {
  minItems: 1,
  maxItems: fiatCurrencies.length,
  uniqueItems: true,
  description: 'The currencies for which the end-user needs approval.',
})

const link = {
  id: idOf('onboardingLink'),
  externalUserId,
  status: oneOf('OnboardingLinkStatus', ['open', 'completed', 'abandoned', 'expired', 'revoked'], {
    description:
      '`completed`: the end-user was approved for all currencies of the link. `abandoned`: it expired before that. `expired`: it expired while the provider was still reviewing the data; an approval can still complete it.',
  }),
  rails,
  locale: nullable(locale),
  redirectUri: nullable(Type.String()),
  createdAt: isoTime,
  expiresAt: isoTime,
  openedAt: nullable({ ...isoTime, description: 'When the link was first opened.' }),
  completedAt: nullable(isoTime),
}

export const onboardingLink = named('OnboardingLink', link)
export const linkStatus = link.status
export type LinkStatus = Static<typeof linkStatus>

export const listedOnboardingLink = named('ListedOnboardingLink', {
  ...link,
  createdBy: {
    ...anyId,
    description: 'The API key or the staff member that created the link.',
    examples: ['key_4xjsr2qfhw3tbn9z8c6vkd5m7e'],
  },
})

export const newOnboardingLink = named('NewOnboardingLink', {
  ...link,
  url: Type.String({ description: 'The link itself, for the end-user alone. Only this response contains it.' }),
})

const color = Type.String({
  pattern: '^#[0-9a-fA-F]{6}$',
  errorText: 'must be a color written #rrggbb',
  examples: ['#0f766e'],
})

export const colors = named('BrandingColors', {
  primary: { ...color, description: 'Color of buttons and links.' },
  background: { ...color, description: 'Color of the page background.' },
  text: { ...color, description: 'Color of the text on `background`.' },
})

const nameWords = { description: 'The name of the business on the pages. Default: the name that the operator has set.' }

/** The API's limit; the operator's names may be longer. */
export const brandingName = lineOf(80, nameWords)

export const branding = named('Branding', {
  name: Type.String(nameWords),
  logo: nullable(Type.String({ description: 'A `data:` URI of a PNG, JPEG or WebP image.' })),
  colors,
  supportEmail: nullable(Type.String()),
  privacyUrl: nullable(Type.String()),
  embedOrigins: Type.Array(Type.String(), { description: 'The sites that may show the page in a frame.' }),
})

export type OnboardingLinkView = Static<typeof onboardingLink>
export type Branding = Static<typeof branding>
export type Colors = Static<typeof colors>
