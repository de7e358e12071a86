// How often a caller may ask. Counting stands behind one small interface: in the memory of this process here, for all
// replicas together in shared-rate-limit.ts.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import ipaddr from 'ipaddr.js'
import type { Deps } from '../../../app/context.ts'
import type { Config } from '../../config.ts'

/** The package's counters in memory, by themselves: they count at once, while its limiter makes a promise of each use. */
type Counters = {
  incrby(key: string, uses: number, windowSeconds: number): Counted
  get(key: string): Counted | null
}
type Counted = { consumedPoints: number; msBeforeNext: number }
type MemoryStorage = new () => Counters
const require = createRequire(import.meta.url)
const MemoryStorage: MemoryStorage = require('rate-limiter-flexible/lib/component/MemoryStorage/MemoryStorage.js')

export type RateVerdict = { allowed: boolean; remaining: number; resetSeconds: number }

/** Counts uses of a key in a window that starts with its first use. */
export type RateLimiter = {
  readonly quota: number
  readonly windowSeconds: number
  /** As the `RateLimit-Policy` header says it. */
  readonly policy: string
  /** Counts one use; at once where it counts in this process. */
  take(key: string): RateVerdict | Promise<RateVerdict>
  /** Looks without counting. */
  peek(key: string): RateVerdict | Promise<RateVerdict>
}

export function memoryRateLimiter(quota: number, windowSeconds: number): RateLimiter {
  const counters = new MemoryStorage()
  const unused: Counted = { consumedPoints: 0, msBeforeNext: windowSeconds * 1_000 }
  return {
    ...policyOf(quota, windowSeconds),
    take(key) {
      const { consumedPoints: uses, msBeforeNext } = counters.incrby(key, 1, windowSeconds)
      return verdict(uses <= quota, quota - uses, msBeforeNext)
    },
    peek(key) {
      const { consumedPoints: uses, msBeforeNext } = counters.get(key) ?? unused
      return verdict(uses < quota, quota - uses, msBeforeNext)
    },
  }
}

/** What a limiter says of itself. */
export function policyOf(
  quota: number,
  windowSeconds: number,
): Pick<RateLimiter, 'quota' | 'windowSeconds' | 'policy'> {
  return { quota, windowSeconds, policy: `"default";q=${quota};w=${windowSeconds}` }
}

export function verdict(allowed: boolean, remaining: number, msBeforeNext: number): RateVerdict {
  return { allowed, remaining: Math.max(0, remaining), resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
}

/**
 * Names a client address for counting. Addresses are many and the caller's to choose, so they share 65,536
 * counters by a hash under the given key: the table is bounded, and nobody can aim at another's counter.
 * An IPv6 network of /64 counts as one.
 */
export function addressKeys(key: KeyObject): (address: string) => string {
  return (address) => {
    return createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, 4)
  }
}

/** An IPv6 network of /64 is one caller. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}

/** The limiters of a server. */
export type RateLimits = {
  perKey: RateLimiter
  failedAuth: RateLimiter
  kycSubmissions: RateLimiter
  kycSubmissionsOfBusiness: RateLimiter
  addressKey: (address: string) => string
}

/** How often what may be done, as configured: a limiter for each, made by `limiter`. */
export function limitsOf(
  config: Config,
  addressKey: RateLimits['addressKey'],
  limiter: (name: string, quota: number, windowSeconds: number) => RateLimiter,
): RateLimits {
  return {
    perKey: limiter('key', config.rateLimitRequests, config.rateLimitWindowSeconds),
    failedAuth: limiter('failed-auth', config.failedAuthPerMinute, 60),
    kycSubmissions: limiter('kyc', config.kycSubmissionsPerMinute, 60),
    kycSubmissionsOfBusiness: limiter('kyc-business', config.businessKycSubmissionsPerMinute, 60),
    addressKey,
  }
}

export function memoryRateLimits({ config, randomBytes }: Pick<Deps, 'config' | 'randomBytes'>): RateLimits {
  const addressKey = addressKeys(createSecretKey(randomBytes(32)))
  return limitsOf(config, addressKey, (_name, quota, windowSeconds) => memoryRateLimiter(quota, windowSeconds))
}
