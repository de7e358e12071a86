// How a business's pages look.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, nullable } from '../platform/http/schema/schema.ts'
import { getBranding, setBranding } from './branding.ts'
import { branding, brandingName, colors } from './schema.rules.ts'

const { embedOrigins } = branding.properties

const newBranding = closed({
  name: Type.Optional(nullable(brandingName)),
  logo: Type.Optional(
    nullable(
      Type.String({
        maxLength: 96 * 1024,
        description: 'A `data:` URI of a PNG, JPEG or WebP image of at most 64 KiB.',
      }),
    ),
  ),
  colors: Type.Optional(
    closed(Type.Partial(colors).properties, {
      description: 'Text and `primary` must have a contrast of at least 4.5:1 with `background` (WCAG AA).',
    }),
  ),
  supportEmail: Type.Optional(
    nullable(
      Type.String({
        maxLength: 320,
        pattern: '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$',
        wellFormed: true,
        errorText: 'must be an email address',
        description: 'The email address that the page shows to people who need help.',
      }),
    ),
  ),
  privacyUrl: Type.Optional(
    nullable(Type.String({ minLength: 1, description: 'The URL of your privacy notice: an absolute `https` URL.' })),
  ),
  embedOrigins: Type.Optional({ ...embedOrigins, maxItems: 20 }),
})

const { read, write } = operationsOf<Core>('Onboarding', 'end_users')

export const brandingOperations = [
  read('GET /v0/branding', {
    id: 'getBranding',
    summary: 'Read the branding of your pages',
    sdk: 'onboarding.branding()',
    data: branding,
    run: ({ deps, scope }) => getBranding(deps, scope.business),
  }),

  write('PUT /v0/branding', {
    id: 'setBranding',
    summary: 'Set the branding of your pages',
    sdk: 'onboarding.setBranding(body)',
    example: { body: () => ({ name: 'Acme' }) },
    audit: ['branding.changed'],
    description:
      'The name, logo and colors of the pages that your end-users see, the support contact, and the sites that may show the pages in a frame. Replaces all settings: a setting that you leave out returns to its default.',
    body: newBranding,
    data: branding,
    errors: ['invalid_branding'],
    run: ({ deps, scope, body: { name, ...rest } }) =>
      setBranding(deps, scope, { ...rest, ...(typeof name === 'string' && { name }) }),
  }),
]
