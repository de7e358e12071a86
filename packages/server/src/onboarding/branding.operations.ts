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
      description: 'Text and `primary` must have a contrast of 4.5 : 1 with `background` (WCAG AA).',
    }),
  ),
  supportEmail: Type.Optional(
    nullable(
      Type.String({
        maxLength: 320,
        pattern: '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$',
        wellFormed: true,
        errorText: 'must be an e-mail address',
        description: 'Where the page sends somebody whom it cannot help.',
      }),
    ),
  ),
  privacyUrl: Type.Optional(
    nullable(Type.String({ minLength: 1, description: 'Your privacy notice: an absolute https address.' })),
  ),
  embedOrigins: Type.Optional({ ...embedOrigins, maxItems: 20 }),
})

const { read, write } = operationsOf<Core>('Onboarding', 'end_users')

export const brandingOperations = [
  read('GET /v0/branding', {
    id: 'getBranding',
    summary: 'Read how your pages look',
    sdk: 'onboarding.branding()',
    data: branding,
    run: ({ deps, scope }) => getBranding(deps, scope.business),
  }),

  write('PUT /v0/branding', {
    id: 'setBranding',
    summary: 'Set how your pages look',
    sdk: 'onboarding.setBranding(body)',
    example: { body: () => ({ name: 'Acme' }) },
    audit: ['branding.changed'],
    description:
      'The name, the logo and the colors of the pages that your end-users see, whom they can ask, and which sites may show the pages in a frame. Replaces what was set before: what is left out is as it is by default.',
    body: newBranding,
    data: branding,
    errors: ['invalid_branding'],
    run: ({ deps, scope, body: { name, ...rest } }) =>
      setBranding(deps, scope, { ...rest, ...(typeof name === 'string' && { name }) }),
  }),
]
