// A business of a world, set up over HTTP: its key, its endpoints, and the end-users that provider events are about.

import { createHash } from 'node:crypto'
import type { Attempt } from '../ledger.ts'
import { openReceivers, type Receivers } from '../receivers.ts'
import type { Business, BusinessPlan, Endpoint, EndpointPlan, World } from '../world.ts'
import { type Lines, originOf } from './lines.ts'

type Hosts = (plan: EndpointPlan) => Promise<{ origin: string; expect: Receivers['expect'] }>

type SetUp = Pick<World<never>, 'adminSecret' | 'send'> & { hostsOf: Hosts }

const answerMsMax = 30_000
const atOnce = 8
const markChars = 16

/** Opens the businesses of a plan, and the receivers behind their endpoints. */
export async function openBusinesses(
  plans: readonly BusinessPlan[],
  { lines, seed, ...given }: Omit<SetUp, 'hostsOf'> & { lines: Lines; seed: number },
  stack: AsyncDisposableStack,
): Promise<Pick<World<never>, 'businesses' | 'attempts' | 'addBusiness'>> {
  const attempts: Attempt[] = []
  const businesses: Business[] = []
  let indexes = 0
  const setUp = { ...given, hostsOf: hostsOn(lines, () => openReceivers(seed, attempts), stack) }
  const addBusiness = async (plan: BusinessPlan): Promise<Business> => {
    const business = await openBusiness(setUp, indexes++, plan)
    businesses.push(business)
    return business
  }
  for (const plan of plans) await addBusiness(plan)
  return { businesses, attempts, addBusiness }
}

/** Starts the receivers when the first endpoint needs them. The same for the separate receivers. */
function hostsOn(lines: Lines, open: () => Promise<Receivers>, stack: AsyncDisposableStack): Hosts {
  const start = async (isApart: boolean): ReturnType<Hosts> => {
    const { port, expect } = stack.use(await open())
    const own = { host: '127.0.0.1', port }
    return { origin: originOf(isApart ? own : await lines.lead('receivers', () => own)), expect }
  }
  const started = new Map<boolean, ReturnType<Hosts>>()
  return ({ apart = false }) => {
    const hosts = started.get(apart) ?? start(apart)
    started.set(apart, hosts)
    return hosts
  }
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
    const hosts = given.url === undefined ? await setUp.hostsOf(given) : null
    const webhookUrl = given.url ?? `${hosts?.origin}/${name}`
    const created = await call('/v0/webhook-endpoints', { webhookUrl, ordering: given.ordering })
    const endpoint = { ...given, name, id: String(created['id']), secret: String(created['signingSecret']) }
    await hosts?.expect({ name, secret: endpoint.secret, conduct: given.conduct ?? 'healthy' })
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
