// What a caller may ask of this deployment.

import type { Deps } from './deps.ts'

/** Where the provider of live deployments shows its Terms of Service. */
const liveTosOrigin = 'https://dashboard.bridge.xyz'

export function capabilitiesOf(deps: Deps) {
  const { config } = deps
  return {
    mode: config.mode,
    tosOrigin:
      config.tosOrigin ?? (config.providerKind === 'sandbox' ? new URL(config.providerUrl).origin : liveTosOrigin),
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
      developerFeePercentMax: config.developerFeePercentMax ?? '99.9999',
    },
  }
}
