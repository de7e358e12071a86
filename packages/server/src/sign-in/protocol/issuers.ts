// The issuers that this process knows, with their metadata and keys.

import { LRUCache } from 'lru-cache'
import { discoverIssuer, type Issuer, type IssuerSettings } from './discovery.ts'

const issuersMax = 500
/** New keys and endpoints of an issuer take effect after this time. */
const keptMs = 600_000
/** An issuer that fails is not asked with each request. */
const failureKeptMs = 5_000

export class Issuers {
  readonly #known = new LRUCache<string, Promise<Issuer>>({ max: issuersMax, ttl: keptMs })

  /** @throws IssuerFailed */
  of(settings: IssuerSettings): Promise<Issuer> {
    const key = `${settings.businessId} ${settings.version}`
    const known = this.#known.get(key)
    if (known) return known
    const found = discoverIssuer(settings)
    this.#known.set(key, found)
    found.catch(() => this.#known.set(key, found, { ttl: failureKeptMs }))
    return found
  }
}
