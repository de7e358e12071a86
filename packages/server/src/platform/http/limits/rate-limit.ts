// Rate limits: counted in the memory of this process, or in Redis for all replicas together. While Redis is unavailable
// each process counts alone, so a caller has its limit once per replica.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../../config.ts'
import type { Core } from '../../core.ts'
import { fail } from '../../errors.ts'
import { kycChecksPerMinute } from '../limits.ts'
import type { RedisCommands } from './redis.ts'

export type RateLimits = ReturnType<typeof limitsOf>

/** Creates the limiters of a process that counts alone. */
export function memoryRateLimits({ config, randomBytes }: Core): RateLimits {
  const addressKey = addressKeys(createSecretKey(randomBytes(32)))
  return limitsOf(config, addressKey, (_name, window) => rateLimiter(new RateLimiterMemory(window)))
}

/** Creates the limiters of a process that shares its counters with other replicas. */
export function sharedRateLimits({ config, secrets }: Core, storeClient: RedisCommands): RateLimits {
  const nameKey = keyFor(secrets, 'counters')
  // An end-user's ID may be an email address, so Redis gets only a hash of the counter's name.
  const nameOf = (key: string): string => createHmac('sha256', nameKey).update(key).digest('base64url').slice(0, 22)
  return limitsOf(config, addressKeys(keyFor(secrets, 'addresses')), (name, window) => {
    const counters = new RateLimiterRedis({
      ...window,
      storeClient,
      useRedisPackage: true,
      keyPrefix: `causeway:limit:${name}`,
      // Redis is not asked again about a used-up counter until its window ends.
      inMemoryBlockOnConsumed: window.points + 1,
      insuranceLimiter: new RateLimiterMemory(window),
    })
    return rateLimiter(counters, nameOf)
  })
}

/**
 * The same key in all replicas of one deployment only: each deployment names its counters under its own secret. During
 * a rotation, replicas with the new secret count apart from the others.
 */
const keyFor = (secrets: Core['secrets'], purpose: string): KeyObject =>
  createSecretKey(Buffer.concat(secrets.fingerprints('rate limits', purpose).slice(0, 1)))

type Counters = Pick<RateLimiterAbstract, 'points' | 'duration' | 'consume'>

type Window = { points: number; duration: number }

function limitsOf(
  config: Config,
  addressKey: (address: string) => string,
  limiter: (name: string, window: Window) => RateLimiter,
) {
  return {
    perKey: limiter('key', { points: config.rateLimitRequests, duration: config.rateLimitWindowSeconds }),
    failedAuth: limiter('failed-auth', { points: config.failedAuthPerMinute, duration: 60 }),
    kycSubmissions: limiter('kyc', { points: config.kycSubmissionsPerMinute, duration: 60 }),
    kycSubmissionsOfBusiness: limiter('kyc-business', {
      points: config.businessKycSubmissionsPerMinute,
      duration: 60,
    }),
    kycChecks: limiter('kyc-checks', { points: kycChecksPerMinute, duration: 60 }),
    addressKey,
  }
}

type RateLimiter = ReturnType<typeof rateLimiter>

/** Wraps counters of the package, which rejects with the counter's state once the quota is used up. */
export function rateLimiter(counters: Counters, nameOf = (key: string): string => key) {
  const verdict = (allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes) => ({
    allowed,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  })
  return {
    /** As in the `RateLimit-Policy` header. */
    policy: `"default";q=${counters.points};w=${counters.duration}`,
    /** Counts one use of a key, in a window that starts with its first use. */
    take: (key: string) =>
      counters.consume(nameOf(key)).then(
        (state) => verdict(true, state),
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return verdict(false, reason)
          throw reason
        },
      ),
  }
}

/** @throws ApiError `rate_limited` */
export function requireAllowed(verdict: { allowed: boolean; resetSeconds: number }): void {
  if (!verdict.allowed) throw fail('rate_limited', { retryAfterSeconds: verdict.resetSeconds })
}

/**
 * Names a client address for counting. Addresses are many and chosen by the caller, so they share 65,536 counters by a
 * hash under the given key. The table is bounded, and a caller cannot target another's counter.
 */
export function addressKeys(key: KeyObject): (address: string) => string {
  return (address) => createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, 4)
}

/** Returns the network of an address: an IPv6 network of /64 counts as one caller. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}
