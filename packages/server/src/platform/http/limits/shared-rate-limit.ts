// Limits that all replicas count together, in Redis. While it is away each process counts by itself: callers keep their
// limits, they merely have them once for every replica.

import { createHmac, createSecretKey } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../../../app/context.ts'
import {
  addressKeys,
  limitsOf,
  policyOf,
  type RateLimiter,
  type RateLimits,
  type RateVerdict,
  verdict,
} from './rate-limit.ts'
import type { RedisCommands } from './redis.ts'

export function sharedRateLimits(
  { config, secrets }: Pick<Deps, 'config' | 'secrets'>,
  redis: RedisCommands,
): RateLimits {
  // The same in all replicas, and no other deployment's: each names its counters under its own secret.
  // While that is exchanged, replicas that have the new one first count apart from those that do not.
  const keyFor = (purpose: string) =>
    createSecretKey(Buffer.concat(secrets.fingerprints('rate limits', purpose).slice(0, 1)))
  const addressKey = addressKeys(keyFor('addresses'))
  const nameKey = keyFor('counters')
  return limitsOf(config, addressKey, (name, quota, windowSeconds) => {
    const shared = sharedRateLimiter(redis, name, quota, windowSeconds)
    // An end-user's identifier may be a mail address: Redis sees neither it nor whose counter it is.
    const counterOf = (key: string): string =>
      createHmac('sha256', nameKey).update(key).digest('base64url').slice(0, 22)
    return {
      ...shared,
      take: (key) => shared.take(counterOf(key)),
      peek: (key) => shared.peek(counterOf(key)),
    }
  })
}

function sharedRateLimiter(redis: RedisCommands, name: string, quota: number, windowSeconds: number): RateLimiter {
  const window = { points: quota, duration: windowSeconds }
  const limiter = new RateLimiterRedis({
    ...window,
    storeClient: redis,
    useRedisPackage: true,
    keyPrefix: `causeway:limit:${name}`,
    // Once a counter is over, Redis need not be asked again until its window ends.
    inMemoryBlockOnConsumed: quota + 1,
    insuranceLimiter: new RateLimiterMemory(window),
  })
  return {
    ...policyOf(quota, windowSeconds),
    take: (key) => limiter.consume(key).then(allowed, refused),
    async peek(key) {
      const found = await limiter.get(key)
      if (!found) return verdict(true, quota, windowSeconds * 1_000)
      return verdict(found.consumedPoints < quota, found.remainingPoints, found.msBeforeNext)
    },
  }
}

const allowed = (state: RateLimiterRes): RateVerdict => verdict(true, state.remainingPoints, state.msBeforeNext)

/** The package rejects with the state of the counter when the quota is used up. */
function refused(reason: unknown): RateVerdict {
  if (reason instanceof RateLimiterRes) return verdict(false, reason.remainingPoints, reason.msBeforeNext)
  throw reason
}
