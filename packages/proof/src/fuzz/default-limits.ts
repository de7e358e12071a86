// A server with default limits: a caller with too many requests gets 429 as openapi.json declares it, and nobody else does.

import { callerOf, dataOf, operations } from '../../../server/test/caller.ts'
import { absentNames, pathOf } from '../../../server/test/http/operation-matrix.ts'
import { kycBody } from '../../../server/test/people.ts'
import { openFuzzWorld } from './world.ts'

const requestsPerWindow = 1_000
const submissionsPerMinute = 10
const failuresPerMinute = 20
/** An address may hold a limited number of connections. */
const callers = 40

/** @throws AssertionError unless each response is declared. @returns how often 429 was the response, and the faults */
export async function meetLimits(): Promise<{ refused: number; faults: string[] }> {
  await using world = await openFuzzWorld({})
  const { baseUrl, adminSecret } = world.facts
  const operator = callerOf(baseUrl, adminSecret)
  const openBusiness = async () => {
    const { id } = dataOf(await operator.call('POST', '/v0/customers', { name: 'A business of the fuzz' }))
    return callerOf(baseUrl, dataOf(await operator.call('POST', `/v0/customers/${id}/api-keys`, {})).key)
  }
  const [busy, other] = [await openBusiness(), await openBusiness()]
  const [faults, counts] = [[] as string[], { refused: 0 }]
  const expect = async (allowed: readonly number[], ...[method, path, body, options]: Parameters<typeof busy.call>) => {
    const { status, text } = await busy.call(method, path, body, options)
    counts.refused += status === 429 ? 1 : 0
    if (!allowed.includes(status)) faults.push(`${method} ${path}: ${status}, not ${allowed.join(' or ')}: ${text}`)
  }
  dataOf(await busy.call('POST', '/v0/end-users', { externalUserId: 'limited' }))
  for (let sent = 0; sent <= submissionsPerMinute; sent++)
    await expect(
      sent < submissionsPerMinute ? [200, 422] : [429],
      ...(['POST', '/v0/end-users/limited/submit-kyc?dryRun=true', kycBody(null, 'limited')] as const),
    )
  const flood = async () => {
    for (let sent = 0; sent <= requestsPerWindow / callers; sent++) await expect([200, 429], 'GET', '/v0/whoami')
  }
  await Promise.all(Array.from({ length: callers }, flood))
  dataOf(await other.call('GET', '/v0/whoami'))
  for (const operation of operations.filter(({ auth }) => auth === 'operator'))
    for (let sent = 0; sent < failuresPerMinute; sent++) {
      const key = `a-guess-of-the-secret-${sent}`
      await expect([401, 429], operation.method, pathOf(operation, absentNames), undefined, { key })
    }
  dataOf(await other.call('GET', '/v0/whoami'))
  return { refused: counts.refused, faults: counts.refused > 0 ? faults : ['the default limits refused nobody'] }
}
