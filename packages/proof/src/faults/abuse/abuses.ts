// The abuses. Each prepares its victim and its abuser once, and then measures windows, calm or abused.

import { setTimeout as delay } from 'node:timers/promises'
import { chanceOf } from '../../rig/chance.ts'
import type { Database } from '../../rig/databases/database.ts'
import { openLedger } from '../../rig/ledger.ts'
import { startLineProcess } from '../../rig/line-process.ts'
import { callerOf } from '../../rig/load/caller.ts'
import { approve, openAccount } from '../../rig/load/stories.ts'
import { changeEndpoint, measureDeliveries, measureReads, type Window } from '../../rig/measured/measured.ts'
import type { Business, Conduct, EndpointPlan, World } from '../../rig/world.ts'
import type { Attack, AttackerLine, AttackRequest } from './attacker.ts'

export type Measure = (isAbused: boolean, seconds: number) => Promise<Window>
export type Stage = {
  world: World<Database>
  /** Hears the status of each response that an abuser got. */
  hear(status: number | null): void
  fault(text: string): void
}

/** `metrics` and `events`: without a key. */
export const abuseNames = ['f1', 'f2', 'f4', 'f5', 'metrics', 'events'] as const

// Bounded in count; the window ends an attack long before.
const requestsMax = 5_000
/** Higher, because an anonymous call ends within a millisecond. */
const anonymousMax = 1_000_000
/** How a body with too many members is refused before it is parsed. */
const unparsed = ['too_many_members', 'payload_too_large', 'holder_not_found', 'rate_limited', null]
const readsPerSecond = 40
const deliveriesPerSecond = 20
const endpointsEach = 20
const eventsEach = 25
const postMsMax = 30_000

export const abuses: Readonly<Record<string, (stage: Stage) => Promise<Measure>>> = {
  /** Bodies of many small members, four at a time. */
  f1: async (stage) => {
    const abuser = await stage.world.addBusiness({ endpoints: [], endUsers: 1 })
    const requests = hostileBodies(abuser.endUsers[0] ?? '')
    return await readsBeside(stage, abuser, { atOnce: 4, pauseMs: 0, requestsMax, requests }, (code) => {
      if (!unparsed.includes(code)) stage.fault(`f1: a body of many members was parsed, and answered ${code}`)
    })
  },
  /** Forty callers that change four accounts, four times as often as their key may. */
  f2: async (stage) => {
    const abuser = await stage.world.addBusiness({ endpoints: [], endUsers: 4 })
    const accounts = await Promise.all(abuser.endUsers.map((user) => accountOf(stage, abuser, user)))
    const requests = accounts.map((id): AttackRequest => {
      const body = { kind: 'json', value: { developer_fee_percent: '0.$n' } } as const
      return { method: 'PATCH', path: `/v0/virtual-accounts/${id}`, body }
    })
    return await readsBeside(stage, abuser, { atOnce: 40, pauseMs: 100, requestsMax, requests })
  },
  /** Four businesses with twenty receivers each that never respond, at the victim's origin. */
  f4: (stage) => deliveriesBeside(stage, { conduct: 'silent' }, 4),
  /** One business with twenty receivers that send interim responses without end. Pouring takes time from no other receiver. */
  f5: (stage) => deliveriesBeside(stage, { conduct: 'interim-flood', apart: true }, 1),
  /** 32 callers that ask for the metrics. */
  metrics: (stage) => anonymousBeside(stage, 32, { method: 'GET', path: '/metrics', body: null, headers: {} }),
  /** 16 callers that send events of 900 KB, stale by their header alone. */
  events: (stage) =>
    anonymousBeside(stage, 16, {
      method: 'POST',
      path: '/v0/webhooks/provider',
      body: { kind: 'filler', bytes: 900 * 1024 },
      headers: { 'content-type': 'application/json', 'x-webhook-signature': `t=1,v0=${'A'.repeat(344)}` },
    }),
}

function hostileBodies(user: string): AttackRequest[] {
  const submit = (externalUserId: string, query = ''): Pick<AttackRequest, 'method' | 'path'> => ({
    method: 'POST',
    path: `/v0/end-users/${externalUserId}/submit-kyc${query}`,
  })
  return [
    { ...submit('absent'), body: { kind: 'members', count: 250_000, name: 'k' } },
    { ...submit(user), body: { kind: 'members', count: 250_000, name: 'k' } },
    { ...submit(user, '?dryRun=true'), body: { kind: 'members', count: 300_000, name: 'k' } },
    { ...submit('absent'), body: { kind: 'members', count: 1_900_000, name: 'k' } },
    { ...submit(user, '?dryRun=true'), body: { kind: 'members', count: 1_700_000, name: 'camelCase' } },
    { ...submit(user), body: { kind: 'empty-arrays', count: 9_000_000 } },
    // Few enough bytes: only the count of its members refuses it.
    { ...submit(user), body: { kind: 'members', count: 20_000, name: 'k' } },
    { method: 'POST', path: '/v0/end-users', body: { kind: 'members', count: 22_000, name: 'k' } },
  ]
}

/** @returns the ID of an account of an end-user that passes KYC for it */
async function accountOf({ world }: Stage, business: Business, externalUserId: string): Promise<string> {
  const notes = openLedger([])
  const parts = { send: world.send, notes, patience: AbortSignal.timeout(60_000), answerMsMax: postMsMax }
  const caller = callerOf(business, parts)
  const teller = { business, caller, notes, provider: world.provider, isOver: () => false }
  await approve(teller, `/v0/end-users/${externalUserId}`, externalUserId, () => parts.patience.throwIfAborted())
  const account = await openAccount(teller, externalUserId, chanceOf(0, business.index), false)
  if (!account) throw new Error(notes.complaints.map(({ text }) => text).join('; '))
  return account.id
}

function anonymousBeside(stage: Stage, atOnce: number, request: AttackRequest): Promise<Measure> {
  const attack = { atOnce, pauseMs: 0, requestsMax: anonymousMax, requests: [request] }
  return readsBeside(stage, { apiKey: '' }, attack)
}

async function readsBeside(
  { world, hear }: Stage,
  { apiKey: key }: Pick<Business, 'apiKey'>,
  attack: Omit<Attack, 'baseUrl' | 'key'>,
  judge: (code: string | null) => void = () => {},
): Promise<Measure> {
  const victim = await world.addBusiness({ endpoints: [], endUsers: 1 })
  const baseUrl = world.replicas[0]?.url ?? ''
  return async (isAbused, seconds) => {
    const pace = { perSecond: readsPerSecond, seconds }
    if (!isAbused) return { ...(await measureReads(world, victim, pace)), attacks: 0 }
    let attacks = 0
    await using _attacker = await startLineProcess<AttackerLine>(
      new URL('./attacker.ts', import.meta.url),
      [JSON.stringify({ ...attack, baseUrl, key } satisfies Attack)],
      ({ status, code }) => {
        attacks += 1
        hear(status)
        judge(code)
      },
      { leadsSession: true },
    )
    const window = await measureReads(world, victim, pace)
    return { ...window, attacks }
  }
}

/** The victim's receiver is healthy. The abusers are new in each window: no breaker knows them. */
async function deliveriesBeside(
  { world, hear }: Stage,
  conduct: { conduct: Conduct; apart?: boolean },
  abuserCount: number,
): Promise<Measure> {
  const { endUsers, endpoints } = await world.addBusiness({ endpoints: [{ ordering: 'best_effort' }], endUsers: 1 })
  const victim = { endUser: endUsers[0] ?? '', endpoints: endpoints.map(({ name }) => name) }
  const hostile: EndpointPlan = { ordering: 'best_effort', ...conduct }
  return async (isAbused, seconds) => {
    const abusers: Business[] = []
    for (let at = 0; isAbused && at < abuserCount; at++)
      abusers.push(await world.addBusiness({ endpoints: Array(endpointsEach).fill(hostile), endUsers: 1 }))
    const posts = abusers.flatMap(({ endUsers: [user] }) =>
      Array.from({ length: eventsEach }, async (_, at) => {
        const event = { event_id: `wh_${user}_${at}`, event_type: 'test.happened', external_user_id: user }
        hear((await world.provider.post(JSON.stringify(event), postMsMax)).status)
      }),
    )
    await Promise.all(posts)
    await delay(1_000) // by now the abusers' connections are open
    const window = await measureDeliveries(world, [victim], { perSecond: deliveriesPerSecond, seconds })
    for (const abuser of abusers)
      for (const { id } of abuser.endpoints) await changeEndpoint(world, abuser, id, 'deleted')
    return { ...window, attacks: posts.length }
  }
}
