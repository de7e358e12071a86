// What a caller may ask of this deployment.

import type { Deps } from './context.ts'

/** Where the provider of live deployments shows its Terms of Service: to new end-users, and to those whom it knows. */
const liveTosOrigins = ['https://dashboard.bridge.xyz', 'https://compliance.bridge.xyz'] as const

/** The emulator has a second host only where one machine has two names for itself. */
function emulatorOrigins(providerUrl: string): [string, ...string[]] {
  const { origin, hostname, port } = new URL(providerUrl)
  const other = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }[hostname]
  return other === undefined ? [origin] : [origin, `http://${other}:${port}`]
}

export function capabilitiesOf(deps: Deps) {
  const { config } = deps
  const known = config.providerKind === 'sandbox' ? emulatorOrigins(config.providerUrl) : liveTosOrigins
  const tosOrigin = config.tosOrigin ?? known[0]
  return {
    mode: config.mode,
    tosOrigin,
    tosOrigins: [...new Set([tosOrigin, ...known])],
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
