// The verdict on a fleet: once everything is settled, what was acknowledged is held against what is there, at the provider
// and at the receiver.

import { setTimeout as delay } from 'node:timers/promises'
import { callerOf } from '../chaos/caller.ts'
import { untilSettled } from '../chaos/settled.ts'
import { judgeOwnEvents, judgeProviderEvents, judgePulled } from '../chaos/verdict/events.ts'
import { type Evidence, gatherEvidence } from '../chaos/verdict/evidence.ts'
import { noFindings } from '../chaos/verdict/findings.ts'
import { judgeMoney } from '../chaos/verdict/money.ts'
import { judgeAccounts, judgeUsers } from '../chaos/verdict/objects.ts'
import type { ReceiverLine } from '../chaos-relay/receivers.ts'
import { judge as judgeRelay } from '../chaos-relay/verdict.ts'
import { type AnswerFigures, answerFigures, longestGapMs } from './answers.ts'
import type { Fleet } from './fleet.ts'
import { eventPrefix, type MixedLoad } from './load.ts'

export type FleetFigures = Omit<AnswerFigures, 'examples' | 'longestGapMs'> & {
  /** Events and API writes that were answered with success. */
  acknowledged: number
  /** Acknowledged and not there, not as it was told, or not delivered to an endpoint. */
  lost: number
  doubledUpstream: number
  /** Answers of the receiver with a 2xx beyond the first, of one event at one endpoint. */
  duplicates: number
  reordered: number
  sequenceGaps: number
  /** Work that had not ended in time. */
  stuck: number
  /** Violations of any other promise: refusals nobody should get, events told twice, sums that differ. */
  broken: number
  /** Of deliveries: the longest of an endpoint. */
  longestGapMs: { event: number; write: number; read: number; delivery: number }
}

export type FleetJudgement = FleetFigures & { examples: readonly string[] }

const settleMsMax = 90_000
const arriveMsMax = 5_000
const examplesMax = 20

/** After `load.stop()`. */
export async function judgeFleet(fleet: Fleet, load: MixedLoad): Promise<FleetJudgement> {
  const { deployment, provider, business } = fleet
  const stuck = await untilSettled({ deployment, provider, foreign: eventPrefix }, settleMsMax)
  await load.finishReading()
  const patience = AbortSignal.timeout(settleMsMax)
  const quiet = { ...load.tally, hear: () => {} }
  const evidence = await gatherEvidence({ businesses: [business], provider, received: [] }, (one) =>
    callerOf(one, fleet.nextUrl, quiet, patience),
  )
  // The receiver's last lines may still be in the pipe.
  const deadline = performance.now() + arriveMsMax
  while (judgeEvents(fleet, load, evidence).lost > 0 && performance.now() < deadline) await delay(100)
  const judged = verdictOf(fleet, load, evidence, stuck)
  const unexpected = fleet.replicas.flatMap((replica) => replica.unexpected().map((line) => `${replica.name}: ${line}`))
  return { ...judged, examples: [...judged.examples, ...unexpected] }
}

type Seen = Pick<Fleet, 'business' | 'endpoints' | 'lines'>
type Told = Pick<MixedLoad, 'heard' | 'acknowledgedEvents' | 'tally' | 'ledger' | 'span'>

export function verdictOf(fleet: Seen, load: Told, evidence: Evidence, stuck: readonly string[]): FleetJudgement {
  const findings = noFindings()
  judgeUsers(evidence, load.ledger, findings)
  judgeAccounts(evidence, load.ledger, findings)
  judgeProviderEvents(evidence, findings)
  for (const one of evidence.businesses) {
    judgePulled(one, load.ledger, findings)
    judgeOwnEvents(one, findings)
  }
  judgeMoney(evidence, findings)
  const relay = judgeEvents(fleet, load, evidence)
  const { examples, ...answers } = answerFigures(load.heard, load.span())
  const deliveryGaps = [...fleet.endpoints.keys()].map((name) =>
    longestGapMs(deliveryTimes(fleet.lines, name), load.span()),
  )
  const broken = [...load.tally.violations, ...findings.broken]
  return {
    ...answers,
    acknowledged: load.acknowledgedEvents.length + load.tally.acknowledged,
    lost: relay.lost + findings.lost.length,
    doubledUpstream: findings.doubled.length,
    duplicates: relay.duplicates,
    reordered: relay.reordered,
    sequenceGaps: relay.sequenceGaps,
    stuck: stuck.length,
    broken: broken.length,
    longestGapMs: { ...answers.longestGapMs, delivery: Math.max(...deliveryGaps) },
    examples: [
      ...[...findings.lost, ...findings.doubled, ...stuck, ...broken].slice(0, examplesMax),
      ...relay.examples,
      ...examples,
    ],
  }
}

/** When the receiver took something for this endpoint. */
export function deliveryTimes(lines: readonly ReceiverLine[], endpoint: string): number[] {
  return lines.filter((line) => line.what === 'answered' && line.endpoint === endpoint).map(({ atMs }) => atMs)
}

/** Each event that the provider was told is ours, and each that the business can read, at each of its endpoints. */
function judgeEvents({ business, endpoints, lines }: Seen, load: Told, evidence: Evidence) {
  const listed = evidence.businesses.flatMap(({ events }) =>
    events.map((event) => String(event['providerEventId'] ?? event['id'])),
  )
  const ids = new Set([...load.acknowledgedEvents, ...listed])
  return judgeRelay(
    [...ids].map((eventId) => ({ eventId, businessId: business.id })),
    endpoints,
    lines,
  )
}

export type Allowed = {
  /** How often a call may stay without an answer: replicas were killed. By default never. */
  unanswered?: number
  /** How many deliveries may be sent twice: those under way when something died. */
  duplicates?: number
}

/** Lists the faults of a run: none when every promise held and the run could have broken one. */
export function faultsOf(judged: FleetFigures, { unanswered = 0, duplicates = 0 }: Allowed = {}): string[] {
  const faults: string[] = []
  const expectNone = (count: number, what: string): void => {
    if (count > 0) faults.push(`${count} ${what}`)
  }
  if (judged.acknowledged === 0) faults.push('nothing was acknowledged, so nothing was proven')
  expectNone(judged.lost, 'acknowledged things were lost')
  expectNone(judged.doubledUpstream, 'things were made twice')
  expectNone(judged.reordered, 'events overtook an earlier one of their end-user')
  expectNone(judged.sequenceGaps, 'faults in the sequence numbers')
  expectNone(judged.stuck, 'things had not ended in time')
  expectNone(judged.broken, 'violations of other promises')
  expectNone(judged.unfitAnswers, 'answers were neither final nor a 503 that says when to come back')
  if (judged.unanswered > unanswered) faults.push(`${judged.unanswered} calls without an answer, ${unanswered} allowed`)
  if (judged.duplicates > duplicates) faults.push(`${judged.duplicates} duplicates, ${duplicates} allowed`)
  return faults
}
