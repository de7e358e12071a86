// Redis, where one is configured.

import { faultOfRedis } from '../../../server/src/platform/http/limits/redis.ts'
import { type Finding, ok, problem } from './check.ts'

const check = 'redis'
const remedy =
  'Check REDIS_URL and that Redis lets this host in; without it, limits are counted in each process by itself.'

/** @param url never shown: it may hold a password */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return []
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    return [problem(check, 'REDIS_URL is not an address that starts with redis:// or rediss://.', remedy)]
  const fault = await faultOfRedis(url)
  return [fault === null ? ok(check, 'answers') : problem(check, `It does not serve us: ${fault}.`, remedy)]
}
