// What a caller may ask of this deployment.

import { defaultRails } from '../domain/rails.ts'
import type { Deps } from './deps.ts'

/** Where the provider of live deployments shows its Terms of Service. */
const liveTosOrigin = 'https://dashboard.bridge.xyz'

export function capabilitiesOf(deps: Deps) {
  const { config } = deps
  return {
    mode: config.mode,
    tosOrigin:
      config.tosOrigin ?? (config.providerKind === 'sandbox' ? new URL(config.providerUrl).origin : liveTosOrigin),
    source: Object.entries(defaultRails.fiat).map(([currency, row]) => ({
      currency,
      depositRails: [...row.depositRails],
    })),
    destination: Object.entries(defaultRails.chains).map(([rail, row]) => ({
      payment_rail: rail,
      currencies: [...row.currencies],
      memo: row.memo,
    })),
    limits: {
      requestsPerWindow: config.rateLimitRequests,
      windowSeconds: config.rateLimitWindowSeconds,
      kycSubmissionsPerMinute: config.kycSubmissionsPerMinute,
      developerFeePercentMax: config.developerFeePercentMax ?? '99.9999',
    },
  }
}
