// Capabilities of this deployment: currencies, rails and tokens, limits, and the origin of the Terms-of-Service page.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { named, oneOf } from '../platform/http/schema/schema.ts'
import type { Provider } from '../provider/port.ts'

const texts = Type.Array(Type.String())

const capabilities = named('Capabilities', {
  mode: oneOf('DeploymentMode', ['sandbox', 'live']),
  tosOrigin: Type.String({ description: 'The origin of the Terms of Service links of new end-users.' }),
  tosOrigins: Type.Array(Type.String(), {
    description:
      'Every origin that Terms of Service links can have, for a content security policy. Accept a browser message only from the origin of the link itself: `tosOrigin` of the end-user.',
  }),
  source: Type.Array(
    Type.Object({
      currency: Type.String(),
      depositRails: texts,
      minimumAmount: Type.String({ description: 'Smaller deposits are microdeposits and are not converted.' }),
      endorsements: Type.Array(Type.String(), {
        description: 'The currency is available if one of these endorsements is approved.',
      }),
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
    destinationChangeDelayMinutes: Type.Integer({
      description: 'The delay before a new destination applies; 0: immediately.',
    }),
    developerFeePercentMax: Type.String({ description: '`0`: accounts cannot have a fee.' }),
  }),
})

type Deps = Core & { provider: Pick<Provider, 'traits'> }

const { read } = operationsOf<Deps>('Capabilities', null)

export const capabilityOperations = [
  read('GET /v0/capabilities', {
    id: 'getCapabilities',
    summary: 'Read what this deployment supports',
    sdk: 'capabilities()',
    data: capabilities,
    run: ({ deps }) => capabilitiesOf(deps),
  }),
]

function capabilitiesOf({ config, provider: { traits } }: Deps) {
  return {
    mode: config.mode,
    tosOrigin: traits.pageOrigins[0],
    tosOrigins: [...traits.pageOrigins],
    source: Object.entries(config.rails.fiat).map(([currency, row]) => ({
      currency,
      depositRails: [...row.depositRails],
      minimumAmount: row.minimumAmount,
      endorsements: [...row.endorsements],
    })),
    destination: Object.entries(config.rails.chains).map(([rail, row]) => ({
      payment_rail: rail,
      currencies: [...row.currencies],
      memo: row.memo,
      addressFamily: row.addressFamily,
    })),
    limits: {
      requestsPerWindow: config.rateLimitRequests,
      windowSeconds: config.rateLimitWindowSeconds,
      kycSubmissionsPerMinute: config.kycSubmissionsPerMinute,
      destinationChangeDelayMinutes: config.destinationChangeDelayMinutes,
      developerFeePercentMax: traits.fee === null ? '0' : (config.developerFeePercentMax ?? '99.9999'),
    },
  }
}
