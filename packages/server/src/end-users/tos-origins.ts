// Where the provider shows its Terms of Service.

import type { Config } from '../platform/config.ts'

/** Where the provider of live deployments shows its Terms of Service: to new end-users, and to those whom it knows. */
const liveTosOrigins = ['https://dashboard.bridge.xyz', 'https://compliance.bridge.xyz'] as const

/** The emulator has a second host only where one machine has two names for itself. */
function emulatorOrigins(providerUrl: string): [string, ...string[]] {
  const { origin, hostname, port } = new URL(providerUrl)
  const other = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }[hostname]
  return other === undefined ? [origin] : [origin, `http://${other}:${port}`]
}

/** Lists every origin that Terms links may have, that of new end-users first. */
export function tosOriginsOf(config: Config): readonly [string, ...string[]] {
  const known = config.providerKind === 'sandbox' ? emulatorOrigins(config.providerUrl) : liveTosOrigins
  const first = config.tosOrigin ?? known[0]
  return [first, ...known.filter((origin) => origin !== first)]
}
