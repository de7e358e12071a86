// A business of a world, set up over HTTP: its key, its endpoints, and the end-users that provider events are about.

import { createHash } from 'node:crypto'
import { openReceivers, type Receivers } from '../receivers.ts'
import type { Business, BusinessPlan, Endpoint, World } from '../world.ts'
import { type Lines, originOf } from './lines.ts'

type SetUp = Pick<World<never>, 'adminSecret' | 'send'> & {
  /** Null if every endpoint has an address of the proof's own. */
  receivers: { origin: string; expect: Receivers['expect'] } | null
}

const answerMsMax = 30_000
const atOnce = 8
const markChars = 16

/** Opens the businesses of a plan, and the receivers behind their endpoints. */
export async function openBusinesses(
  plans: readonly BusinessPlan[],
  { lines, seed, ...given }: Omit<SetUp, 'receivers'> & { lines: Lines; seed: number },
  stack: AsyncDisposableStack,
): Promise<Pick<World<never>, 'businesses' | 'attempts'>> {
  const needsReceivers = plans.some(({ endpoints }) => endpoints.some(({ url }) => url === undefined))
  const receivers = needsReceivers ? stack.use(await openReceivers(seed)) : null
  const at = receivers && (await lines.lead('receivers', () => ({ host: '127.0.0.1', port: receivers.port })))
  const setUp = { ...given, receivers: receivers && at && { origin: originOf(at), expect: receivers.expect } }
  const businesses: Business[] = []
  for (const [index, plan] of plans.entries()) businesses.push(await openBusiness(setUp, index, plan))
  return { businesses, attempts: receivers?.attempts ?? [] }
}

/** The endpoints come before the end-users: then every event there is must reach all of them. */
async function openBusiness(setUp: SetUp, index: number, plan: BusinessPlan): Promise<Business> {
  const admin = callerOf(setUp, setUp.adminSecret)
  const id = String((await admin('/v0/customers', { name: 'A business of the proof' }))['id'])
  const apiKey = String((await admin(`/v0/customers/${id}/api-keys`, { name: 'The proof' }))['key'])
  const call = callerOf(setUp, apiKey)
  const endpoints: Endpoint[] = []
  for (const [at, given] of plan.endpoints.entries()) {
    const name = `b${index}-e${at}-${given.ordering}`
    const webhookUrl = given.url ?? `${setUp.receivers?.origin}/${name}`
    const created = await call('/v0/webhook-endpoints', { webhookUrl, ordering: given.ordering })
    const endpoint = { ...given, name, id: String(created['id']), secret: String(created['signingSecret']) }
    if (!given.url)
      await setUp.receivers?.expect({ name, secret: endpoint.secret, conduct: given.conduct ?? 'healthy' })
    endpoints.push(endpoint)
  }
  const endUsers = Array.from({ length: plan.endUsers ?? 0 }, (_, at) => `b${index}-user-${at}`)
  const left = [...endUsers]
  const create = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      await call('/v0/end-users', { externalUserId: name })
  }
  await Promise.all(Array.from({ length: atOnce }, create))
  const mark = `mark${createHash('sha256').update(`business ${index}`).digest('hex').slice(0, markChars)}`
  return { index, id, apiKey, mark, endpoints, endUsers }
}

function callerOf({ send }: SetUp, secret: string) {
  return async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const { status, text } = await send({ method: 'POST', path, headers, body: JSON.stringify(body) }, answerMsMax)
    if (status !== 200) throw new Error(`POST ${path} was answered ${status}: ${text.slice(0, 500)}`)
    return (JSON.parse(text) as { data: Record<string, unknown> }).data
  }
}
