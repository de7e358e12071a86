// What this deployment supports: currencies, rails and tokens, limits, and the origin of the Terms-of-Service page.

import type { App } from '../platform/http/app.ts'
import { dataOf, oneOf, responses } from '../platform/http/schema/schema.ts'
import { Type } from '../platform/http/schema/type.ts'
import { capabilitiesOf } from './capabilities.ts'
import type { Deps } from './context.ts'

const texts = Type.Array(Type.String())

const capabilities = Type.Object(
  {
    mode: oneOf(['sandbox', 'live']),
    tosOrigin: Type.String({ description: 'The origin of the Terms links of new end-users.' }),
    tosOrigins: Type.Array(Type.String(), {
      description:
        'Every origin that Terms links may have, for a content security policy. A browser message may be believed only when it comes from the origin of the very link: `tosOrigin` of the end-user.',
    }),
    source: Type.Array(
      Type.Object({
        currency: Type.String(),
        depositRails: texts,
        minimumAmount: Type.String({ description: 'Less than this is a microdeposit and is not converted.' }),
        endorsements: Type.Array(Type.String(), { description: 'One of them, approved, opens the currency.' }),
      }),
    ),
    destination: Type.Array(
      Type.Object({
        payment_rail: Type.String(),
        currencies: texts,
        memo: Type.Boolean(),
        addressFamily: Type.String(),
      }),
    ),
    limits: Type.Object({
      requestsPerWindow: Type.Integer(),
      windowSeconds: Type.Integer(),
      kycSubmissionsPerMinute: Type.Integer(),
      destinationChangeDelayMinutes: Type.Integer({ description: 'How long a new destination waits; 0 does not.' }),
      developerFeePercentMax: Type.String(),
    }),
  },
  { title: 'Capabilities' },
)

export function capabilityRoutes(app: App, deps: Deps): void {
  app.get(
    '/v0/capabilities',
    {
      config: { auth: 'business' },
      schema: {
        operationId: 'getCapabilities',
        summary: 'Read what this deployment supports',
        tags: ['Capabilities'],
        response: responses(dataOf(capabilities)),
      },
    },
    async () => ({ data: capabilitiesOf(deps) }),
  )
}
