// The data for the onboarding page: one object is schema and type.

import { type Static, Type } from 'typebox'
import { nextAction, requirements } from '../end-users/schema.rules.ts'
import { isoTime, nullable } from '../platform/http/schema/schema.ts'
import { branding, colors, locale } from './schema.rules.ts'

const { embedOrigins, ...shownBranding } = branding.properties
const { currentlyDue, errors, associatedPersons } = requirements.properties

/** With the color of the text on buttons, and the color scheme of the browser's own parts. */
const shownColors = Type.Object({
  ...colors.properties,
  onPrimary: Type.String(),
  scheme: Type.Union([Type.Literal('light'), Type.Literal('dark')]),
})

/** Data that does not change while a page is open. */
const opening = {
  branding: Type.Object({
    ...shownBranding,
    colors: shownColors,
    dark: nullable(shownColors),
  }),
  embedOrigins,
  type: Type.Union([Type.Literal('individual'), Type.Literal('business')]),
  locale: nullable(locale),
  redirectUri: nullable(Type.String()),
  isSandbox: Type.Boolean(),
}

const pageOpening = Type.Object(opening)

export const openedPage = Type.Object({ token: Type.String(), ...opening })

/** Contains no input of the end-user and no private data of the business. */
export const pageState = Type.Object({
  kycStatus: Type.String(),
  isSubmitted: Type.Boolean(),
  nextAction,
  requirements: Type.Object({ currentlyDue, errors, associatedPersons }),
  rejectionReasons: Type.Array(Type.String()),
  now: isoTime,
  version: Type.String({ description: 'Changes with the rest, but not with `now`.' }),
})

export const termsPage = Type.Object({ url: Type.String(), origin: Type.String() })

export const hostedPage = Type.Object({
  url: nullable(Type.String()),
  people: Type.Array(Type.Object({ id: Type.String(), email: nullable(Type.String()) })),
})

export const occupations = Type.Array(Type.Object({ code: Type.String(), name: Type.String() }))

const problem = Type.Object({ param: Type.String(), code: Type.String(), message: Type.String() })

/** The response that is also stored for a retry, without data about the end-user. */
export const submitted = Type.Object({ problems: Type.Optional(Type.Array(problem)) })

export type PageOpening = Static<typeof pageOpening>
export type PageState = Static<typeof pageState>
export type HostedPage = Static<typeof hostedPage>
