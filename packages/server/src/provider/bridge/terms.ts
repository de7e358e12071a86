// Bridge's Terms of Service.

import type { Terms } from '../port.ts'
import type { BridgeClient } from './client.ts'

export function termsOf(client: BridgeClient): Terms {
  return {
    createLink: (write) => client.createTosLink(write),
    linkOfCustomer: (customerId) => client.getTosAcceptanceLink(customerId),
    withReturn(link, returnTo) {
      const url = new URL(link)
      url.searchParams.set('redirect_uri', returnTo)
      return url.href
    },
  }
}

/** Where Bridge shows its terms in production: to new end-users, and to those whom it knows. */
const liveOrigins = ['https://dashboard.bridge.xyz', 'https://compliance.bridge.xyz'] as const

/** The emulator has a second host only where one machine has two names for itself. */
function emulatorOrigins(baseUrl: string): [string, ...string[]] {
  const { origin, hostname, port } = new URL(baseUrl)
  const other = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }[hostname]
  return other === undefined ? [origin] : [origin, `http://${other}:${port}`]
}

/**
 * Lists every origin that Terms links may have, that of new end-users first.
 * @param configured the origin of new end-users, where it differs
 */
export function pageOriginsOf(
  baseUrl: string,
  isEmulated: boolean,
  configured: string | undefined,
): readonly [string, ...string[]] {
  const known = isEmulated ? emulatorOrigins(baseUrl) : liveOrigins
  const first = configured ?? known[0]
  return [first, ...known.filter((origin) => origin !== first)]
}
