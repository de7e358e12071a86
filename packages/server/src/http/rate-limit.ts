// How often a caller may ask. Counting stands behind one small interface: in the memory of this process here, for all
// replicas together in shared-rate-limit.ts.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import ipaddr from 'ipaddr.js'
import type * as Limiters from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import type { Deps } from '../services/deps.ts'

const require = createRequire(import.meta.url)
// Its parts by themselves: by its front door come the clients' halves of sixteen stores.
const part = <T>(name: string): T => require(`rate-limiter-flexible/lib/${name}.js`)
const RateLimiterMemory = part<typeof Limiters.RateLimiterMemory>('RateLimiterMemory')
const RateLimiterRes = part<typeof Limiters.RateLimiterRes>('RateLimiterRes')

export type RateVerdict = { allowed: boolean; remaining: number; resetSeconds: number }

/** Counts uses of a key in a window that starts with its first use. */
export type RateLimiter = {
  readonly quota: number
  readonly windowSeconds: number
  /** As the `RateLimit-Policy` header says it. */
  readonly policy: string
  /** Counts one use. */
  take(key: string): Promise<RateVerdict>
  /** Looks without counting. */
  peek(key: string): Promise<RateVerdict>
}

export function memoryRateLimiter(quota: number, windowSeconds: number): RateLimiter {
  return rateLimiterOf(new RateLimiterMemory({ points: quota, duration: windowSeconds }))
}

/** The package's limiter behind our interface. */
export function rateLimiterOf(limiter: Limiters.RateLimiterAbstract): RateLimiter {
  const { points: quota, duration: windowSeconds } = limiter
  return {
    quota,
    windowSeconds,
    policy: `"default";q=${quota};w=${windowSeconds}`,
    take: (key) => limiter.consume(key).then(allowed, refused),
    async peek(key) {
      const found = await limiter.get(key)
      if (!found) return { allowed: true, remaining: quota, resetSeconds: windowSeconds }
      return verdict(found.consumedPoints < quota, found)
    },
  }
}

const allowed = (state: Limiters.RateLimiterRes): RateVerdict => verdict(true, state)

/** The package rejects with the state of the counter when the quota is used up. */
function refused(reason: unknown): RateVerdict {
  if (reason instanceof RateLimiterRes) return verdict(false, reason)
  throw reason
}

function verdict(isAllowed: boolean, state: Limiters.RateLimiterRes): RateVerdict {
  return {
    allowed: isAllowed,
    remaining: Math.max(0, state.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  }
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

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}

/** The limiters of a server. */
export type RateLimits = {
  perKey: RateLimiter
  failedAuth: RateLimiter
  kycSubmissions: RateLimiter
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
    addressKey,
  }
}

export function memoryRateLimits({ config, randomBytes }: Pick<Deps, 'config' | 'randomBytes'>): RateLimits {
  const addressKey = addressKeys(createSecretKey(randomBytes(32)))
  return limitsOf(config, addressKey, (_name, quota, windowSeconds) => memoryRateLimiter(quota, windowSeconds))
}
