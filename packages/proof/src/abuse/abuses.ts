// The abuses. Each prepares its victim and its abuser once, and then measures windows, calm or abused.

import { setTimeout as delay } from 'node:timers/promises'
import { measureLoad, type Planned } from '../hostile/measured-load.ts'
import { closeEndpoint, openEndpoint } from '../relay-world/deployment.ts'
import { postUntilAcknowledged } from '../relay-world/provider-post.ts'
import type { Attack, AttackRequest } from './attacker.ts'
import type { Caller, Stage } from './stage.ts'
import type { AbuseName, Window } from './verdict.ts'

type Measure = (isAbused: boolean, seconds: number) => Promise<Window>
type Abuse = { name: AbuseName; prepare(stage: Stage): Promise<Measure> }

// Bounded in count; the window ends an attack long before.
const requestsMax = 5_000
/** Anonymous calls are refused or answered within a millisecond. */
const anonymousMax = 1_000_000
const deliveriesPerSecond = 20
const endpointsEach = 20
const eventsEach = 25
const attackEventsMs = 30_000

const submit = (externalUserId: string, query = ''): Pick<AttackRequest, 'method' | 'path'> => ({
  method: 'POST',
  path: `/v0/end-users/${externalUserId}/submit-kyc${query}`,
})

const hostileBodies: readonly AttackRequest[] = [
  { ...submit('absent'), body: { kind: 'members', count: 250_000, name: 'k' } },
  { ...submit('loud'), body: { kind: 'members', count: 250_000, name: 'k' } },
  { ...submit('loud', '?dryRun=true'), body: { kind: 'members', count: 300_000, name: 'k' } },
  { ...submit('absent'), body: { kind: 'members', count: 1_900_000, name: 'k' } },
  { ...submit('loud', '?dryRun=true'), body: { kind: 'members', count: 1_700_000, name: 'camelCase' } },
  { ...submit('loud'), body: { kind: 'empty-arrays', count: 9_000_000 } },
  { method: 'POST', path: '/v0/end-users', body: { kind: 'members', count: 22_000, name: 'k' } },
]

/** Bodies of many small members, four at a time, beside another business's reads. */
export const bodiesAbuse: Abuse = {
  name: 'f1',
  prepare: async (stage) => {
    const victim = await stage.openCaller(['quiet'])
    const abuser = await stage.openCaller(['loud'])
    const attack = { atOnce: 4, pauseMs: 0, requestsMax, requests: hostileBodies }
    return (isAbused, seconds) => readsBeside(stage, { victim, abuser, attack }, isAbused, seconds)
  },
}

/** Forty callers that change four accounts, four times as often as their key may, beside another business's reads. */
export const changesAbuse: Abuse = {
  name: 'f2',
  prepare: async (stage) => {
    const victim = await stage.openCaller(['quiet'])
    const users = ['one', 'two', 'three', 'four']
    const abuser = await stage.openCaller(users)
    const accounts = await Promise.all(users.map((user) => stage.openAccount(abuser, user)))
    const requests = accounts.map((id): AttackRequest => {
      const body = { kind: 'json', value: { developer_fee_percent: '0.$n' } } as const
      return { method: 'PATCH', path: `/v0/virtual-accounts/${id}`, body }
    })
    const attack = { atOnce: 40, pauseMs: 100, requestsMax, requests }
    return (isAbused, seconds) => readsBeside(stage, { victim, abuser, attack }, isAbused, seconds)
  },
}

/** Four businesses with twenty receivers each that never answer, at the victim's origin. */
export const silentAbuse: Abuse = { name: 'f4', prepare: (stage) => deliveriesBeside(stage, 'never', 4) }

/** One business with twenty receivers that send interim answers without end. */
export const interimAbuse: Abuse = { name: 'f5', prepare: (stage) => deliveriesBeside(stage, 'hints', 1) }

/** 32 callers without a key that ask for the metrics, beside another business's reads. */
export const metricsAbuse: Abuse = {
  name: 'metrics',
  prepare: (stage) => anonymousBeside(stage, 32, { method: 'GET', path: '/metrics', body: null, headers: {} }),
}

/** 16 callers that send events of 900 KB, stale by their header alone, beside another business's reads. */
export const eventsAbuse: Abuse = {
  name: 'events',
  prepare: (stage) =>
    anonymousBeside(stage, 16, {
      method: 'POST',
      path: '/v0/webhooks/provider',
      body: { kind: 'filler', bytes: 900 * 1024 },
      headers: { 'content-type': 'application/json', 'x-webhook-signature': `t=1,v0=${'A'.repeat(344)}` },
    }),
}

async function anonymousBeside(stage: Stage, atOnce: number, request: AttackRequest): Promise<Measure> {
  const victim = await stage.openCaller(['quiet'])
  const attack = { atOnce, pauseMs: 0, requestsMax: anonymousMax, requests: [request] }
  return (isAbused, seconds) => readsBeside(stage, { victim, abuser: victim, attack }, isAbused, seconds)
}

type Sides = { victim: Caller; abuser: Caller; attack: Omit<Attack, 'baseUrl' | 'key'> }

async function readsBeside(
  stage: Stage,
  { victim, abuser, attack }: Sides,
  isAbused: boolean,
  seconds: number,
): Promise<Window> {
  if (!isAbused) return { ...(await stage.measureReads(victim, '/v0/end-users', seconds)), attacks: 0 }
  await using running = await stage.startAttack(attack, abuser)
  const window = await stage.measureReads(victim, '/v0/end-users', seconds)
  return { ...window, attacks: running.count() }
}

/** The victim's endpoint is healthy; beside silent receivers it lies at their origin. */
async function deliveriesBeside(stage: Stage, conduct: 'never' | 'hints', abuserCount: number): Promise<Measure> {
  const { deployment, server } = stage
  const quiet = `quiet-${conduct}`
  const { businessId } = await stage.openCaller([quiet])
  await openEndpoint(deployment, { businessId, url: stage.receiverUrl(`ok/${conduct}`), ordering: 'best_effort' })
  let windows = 0
  return async (isAbused, seconds) => {
    const name = `${conduct}${windows++}`
    const attack = isAbused ? await attackReceivers(stage, conduct, name, abuserCount) : null
    const events = Array.from({ length: seconds * deliveriesPerSecond }, (_, index): Planned => {
      const eventId = `wh_${name}_${index}`
      return { eventId, body: eventText(eventId, quiet), to: [`ok/${conduct}`] }
    })
    const load = { signer: deployment.signer, baseUrl: server.url, perSecond: deliveriesPerSecond }
    const { p50Ms, p99Ms, samples, missing } = await measureLoad(load, events, stage.arrivals)
    await attack?.end()
    return { p50Ms, p99Ms, samples, missing, attacks: attack?.events ?? 0 }
  }
}

async function attackReceivers(
  stage: Stage,
  conduct: string,
  name: string,
  abuserCount: number,
): Promise<{ events: number; end(): Promise<void> }> {
  const { deployment, server } = stage
  const opened: { id: string; businessId: string }[] = []
  const users = Array.from({ length: abuserCount }, (_, at) => `loud-${name}-${at}`)
  for (const user of users) {
    const { businessId } = await stage.openCaller([user])
    for (let at = 0; at < endpointsEach; at++) {
      const url = stage.receiverUrl(`${conduct}/${user}/${at}`)
      opened.push(await openEndpoint(deployment, { businessId, url, ordering: 'best_effort' }))
    }
  }
  const signal = AbortSignal.timeout(attackEventsMs)
  const posts = users.flatMap((user) =>
    Array.from({ length: eventsEach }, (_, at) =>
      postUntilAcknowledged(deployment.signer, () => server.url, eventText(`wh_${user}_${at}`, user), signal),
    ),
  )
  await Promise.all(posts)
  await delay(1_000) // by now the abusers' connections are open
  return {
    events: posts.length,
    end: async () => {
      for (const endpoint of opened) await closeEndpoint(deployment, endpoint)
    },
  }
}

function eventText(eventId: string, externalUserId: string): string {
  return JSON.stringify({ event_id: eventId, event_type: 'test.happened', external_user_id: externalUserId })
}
