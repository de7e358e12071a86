// How often a caller may ask. Counting stands behind one small interface, so that a shared store can take its place.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../services/deps.ts'

export type RateVerdict = { allowed: boolean; remaining: number; resetSeconds: number }

/** Counts uses of a key in a window that starts with its first use. */
export type RateLimiter = {
  readonly quota: number
  readonly windowSeconds: number
  /** Counts one use. */
  take(key: string): Promise<RateVerdict>
  /** Looks without counting. */
  peek(key: string): Promise<RateVerdict>
}

export function memoryRateLimiter(quota: number, windowSeconds: number): RateLimiter {
  const limiter = new RateLimiterMemory({ points: quota, duration: windowSeconds })
  return {
    quota,
    windowSeconds,
    async take(key) {
      try {
        return verdict(true, await limiter.consume(key))
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return verdict(false, refused)
        throw refused
      }
    },
    async peek(key) {
      const found = await limiter.get(key)
      if (!found) return { allowed: true, remaining: quota, resetSeconds: windowSeconds }
      return verdict(found.consumedPoints < quota, found)
    },
  }
}

function verdict(allowed: boolean, state: RateLimiterRes): RateVerdict {
  return {
    allowed,
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

export function memoryRateLimits({ config, randomBytes }: Pick<Deps, 'config' | 'randomBytes'>): RateLimits {
  return {
    perKey: memoryRateLimiter(config.rateLimitRequests, config.rateLimitWindowSeconds),
    failedAuth: memoryRateLimiter(config.failedAuthPerMinute, 60),
    kycSubmissions: memoryRateLimiter(config.kycSubmissionsPerMinute, 60),
    addressKey: addressKeys(createSecretKey(randomBytes(32))),
  }
}
