// A neighbour with an event now and then: alone, and beside a business whose 100,000 waiting events are being sent.

import { setTimeout as delay } from 'node:timers/promises'
import { makeEventId } from '../../../server/src/platform/values/ids.ts'
import { changeStatus, openBusiness, openEndpoint } from '../relay-world/deployment.ts'
import { type Latencies, measureLoad, type Planned } from './measured-load.ts'
import type { Stage } from './stage.ts'

export type BacklogFigures = {
  alone: Latencies
  beside: Latencies
  backlog: number
  /** What the loud business had still to get when the neighbour's last event was sent: it must not be over by then. */
  left: number
  drainedPerSecond: number
}

// Enough for a 99th percentile; an event a second would measure the same for ten times as long.
const neighbourPerSecond = 20
const intakeAtOnce = 2_000
// The ramp after a pause doubles from 10 a second and ends after 8 s.
const rampMs = 8_500

export async function runBacklog(
  stage: Stage,
  { backlog, seconds }: { backlog: number; seconds: number },
): Promise<BacklogFigures> {
  const { deployment } = stage
  const neighbour = await openBusiness(deployment, ['neighbour'])
  await openEndpoint(deployment, { businessId: neighbour, url: stage.healthyUrl('quiet'), ordering: 'best_effort' })
  const loudUsers = Array.from({ length: 200 }, (_, index) => `loud-${index}`)
  const loud = await openBusiness(deployment, loudUsers)
  const endpoint = await openEndpoint(deployment, {
    businessId: loud,
    url: stage.healthyUrl('loud'),
    ordering: 'best_effort',
  })
  await changeStatus(deployment, endpoint, 'paused')

  const load = { signer: deployment.signer, baseUrl: stage.server.url, perSecond: neighbourPerSecond }
  const events = (name: string): Planned[] =>
    Array.from({ length: seconds * neighbourPerSecond }, (_, index) => {
      const eventId = `wh_${name}_${index}`
      const body = JSON.stringify({ event_id: eventId, event_type: 'test.happened', external_user_id: 'neighbour' })
      return { eventId, body, to: ['quiet'] }
    })
  await takeIn(stage, loudUsers, backlog)
  const alone = await measureLoad(load, events('alone'), stage.arrivals)
  await changeStatus(deployment, endpoint, 'enabled')
  await delay(rampMs)
  const sentBefore = countOf(stage)
  const startedMs = performance.now()
  const beside = await measureLoad(load, events('beside'), stage.arrivals)
  const sent = countOf(stage)
  return {
    alone,
    beside,
    backlog,
    left: backlog - sent,
    drainedPerSecond: Math.round(((sent - sentBefore) * 1_000) / (performance.now() - startedMs)),
  }
}

function countOf({ arrivals }: Stage): number {
  return arrivals.reduce((sum, { to }) => sum + (to === 'loud' ? 1 : 0), 0)
}

/** By the intake itself, without a hundred thousand signatures. */
async function takeIn({ deployment: { deps } }: Stage, users: readonly string[], count: number): Promise<void> {
  for (let done = 0; done < count; done += intakeAtOnce) {
    const batch = Array.from({ length: Math.min(intakeAtOnce, count - done) }, (_, index) => {
      const nth = done + index
      const externalUserId = users[nth % users.length] ?? ''
      const providerEventId = `wh_loud_${nth}`
      const fields = { event_id: providerEventId, event_type: 'test.happened', external_user_id: externalUserId }
      return deps.groupCommit.commit({
        id: makeEventId(deps.now(), deps.randomBytes(10)),
        providerEventId,
        trust: 'verified',
        type: 'test.happened',
        body: Buffer.from(JSON.stringify(fields)),
        hints: { refs: [], externalUserId },
        hasEffects: false,
      })
    })
    await Promise.all(batch)
  }
}
