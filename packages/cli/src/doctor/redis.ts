// Check of Redis, if configured.

import { faultOfRedis } from '../../../server/src/platform/http/limits/redis.ts'
import { readRedisAddress, redisAddressRule } from '../../../server/src/platform/http/limits/redis-address.ts'
import { type Finding, ok, problem } from './check.ts'

const check = 'redis'
const remedy =
  'Check REDIS_URL, and that Redis accepts connections from this host. Without Redis, each process counts its limits separately.'

/** @param url never printed, because it can contain a password */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return []
  if (readRedisAddress(url) === null) return [problem(check, `REDIS_URL is not valid: it ${redisAddressRule}.`, remedy)]
  const fault = await faultOfRedis(url)
  return [fault === null ? ok(check, 'responds') : problem(check, `Redis cannot be used: ${fault}.`, remedy)]
}
