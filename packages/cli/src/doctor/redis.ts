// Redis, where one is configured.

import { faultOfRedis } from '../../../server/src/platform/http/limits/redis.ts'
import { readRedisAddress, redisAddressRule } from '../../../server/src/platform/http/limits/redis-address.ts'
import { type Finding, ok, problem } from './check.ts'

const check = 'redis'
const remedy =
  'Check REDIS_URL and that Redis lets this host in; without it, limits are counted in each process by itself.'

/** @param url never shown: it may hold a password */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return []
  if (readRedisAddress(url) === null)
    return [problem(check, `REDIS_URL is not an address: it ${redisAddressRule}.`, remedy)]
  const fault = await faultOfRedis(url)
  return [fault === null ? ok(check, 'answers') : problem(check, `It does not serve us: ${fault}.`, remedy)]
}
