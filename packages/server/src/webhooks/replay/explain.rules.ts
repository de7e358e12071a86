// Why an event has arrived at an endpoint, or not: one code and one sentence for each way it can stand, from what the
// database knows. Pure; the sentences are for people, the codes never change.

import { isoTime } from '../../platform/values/time.ts'
import { breakerFailures } from '../delivery/circuit-breaker.rules.ts'

export const endpointCodes = [
  'delivered',
  'due',
  'waiting_turn',
  'held_back',
  'retry_scheduled',
  'probing',
  'paused',
  'disabled',
  'exhausted',
  'cancelled',
  'filtered',
  'endpoint_newer',
  'never_queued',
  'not_addressed',
  'endpoint_deleted',
] as const
export type EndpointCode = (typeof endpointCodes)[number]

export const verdicts = ['delivered', 'under_way', 'stopped', 'unwanted', 'no_endpoint'] as const
export type Verdict = (typeof verdicts)[number]

/** How an event stands with one endpoint. The members of the endpoint are null when it is gone, those of the delivery when none was made. */
export type EndpointFacts = {
  endpointId: string
  url: string | null
  endpointStatus: 'enabled' | 'paused' | 'disabled' | null
  disabledReason: string | null
  eventTypes: string[] | null
  endpointCreatedAt: Date | null
  endpointUpdatedAt: Date | null
  /** In a row. */
  failures: number
  failingSince: Date | null
  /** The endpoint was made after the event had come. */
  isNewer: boolean
  /** The endpoint subscribes to the event's type now. */
  isWanted: boolean
  deliveryId: string | null
  sequence: number | null
  deliveryStatus: 'pending' | 'delivered' | 'exhausted' | 'cancelled' | null
  attempts: number | null
  lastOutcome: string | null
  /** A sentence about the last attempt of a delivery that is over, where its outcome alone does not tell it all. */
  lastDetail: string | null
  /** Null while it was never tried. */
  nextAttemptAt: Date | null
  isDue: boolean
  finishedAt: Date | null
  /** The failed delivery of the same end-user that has to be first. */
  heldBy: string | null
  heldUntil: Date | null
  /** Deliveries before it in the endpoint's order, while it was never tried. */
  ahead: number | null
}

export type Explanation = { code: EndpointCode; message: string; since: Date | null }

/** @param aheadMax from which on `ahead` was not counted further */
export function explain(facts: EndpointFacts, eventType: string, aheadMax: number): Explanation {
  const explanation =
    facts.deliveryStatus === null ? explainAbsence(facts, eventType) : explainDelivery(facts, aheadMax)
  return { since: null, ...explanation }
}

/** It is sent on demand, to the endpoint that is named. */
const testEvent = 'webhook_endpoint.test'

type Told = Omit<Explanation, 'since'> & { since?: Date | null }

function explainAbsence(facts: EndpointFacts, eventType: string): Told {
  const { endpointCreatedAt, eventTypes } = facts
  if (eventType === testEvent) {
    const message = 'The event is a test of another endpoint, and goes to that one alone.'
    return { code: 'not_addressed', message }
  }
  const remedy = 'Send it with `POST /v0/events/:id/replay`.'
  if (facts.isNewer) {
    const message = `The endpoint was made at ${at(endpointCreatedAt)}, after the event had come. ${remedy}`
    return { code: 'endpoint_newer', message, since: endpointCreatedAt }
  }
  if (!facts.isWanted) {
    const message = `The endpoint subscribes to ${listed(eventTypes ?? [])}, and the event is ${eventType}. ${remedy}`
    return { code: 'filtered', message }
  }
  const message = `No delivery was made: the endpoint did not subscribe to ${eventType} when the event came. ${remedy}`
  return { code: 'never_queued', message }
}

function explainDelivery(facts: EndpointFacts, aheadMax: number): Told {
  const { deliveryStatus, finishedAt, attempts, lastOutcome, lastDetail } = facts
  const again = 'Send it again with `POST /v0/deliveries/:id/retry`.'
  switch (deliveryStatus) {
    case 'delivered':
      return {
        code: 'delivered',
        message: `Delivered at ${at(finishedAt)}, on attempt ${attempts}.`,
        since: finishedAt,
      }
    case 'exhausted': {
      if (facts.endpointStatus === null) break
      const message = `Given up at ${at(finishedAt)} after ${counted(attempts, 'attempt')}; the last one ended with ${lastOutcome}.${lastDetail === null ? '' : ` ${lastDetail}`} ${again}`
      return { code: 'exhausted', message, since: finishedAt }
    }
    case 'cancelled':
      if (facts.endpointStatus === null) break
      return { code: 'cancelled', message: `Cancelled at ${at(finishedAt)}. ${again}`, since: finishedAt }
    default:
      if (facts.endpointStatus !== null) return explainWaiting(facts, aheadMax)
  }
  const message = `The endpoint was deleted before the event was delivered, after ${counted(attempts, 'attempt')}.`
  return { code: 'endpoint_deleted', message, since: finishedAt }
}

/** What holds most comes first: while the endpoint is paused it does not matter whose turn it would be. */
function explainWaiting(facts: EndpointFacts, aheadMax: number): Told {
  const { endpointStatus, disabledReason, endpointUpdatedAt, nextAttemptAt, failures, failingSince } = facts
  const isLater = nextAttemptAt !== null && !facts.isDue
  if (endpointStatus === 'paused') {
    const message = 'The endpoint is paused. The delivery waits, and goes out when the endpoint is enabled again.'
    return { code: 'paused', message, since: endpointUpdatedAt }
  }
  if (endpointStatus === 'disabled') {
    const reason = disabledReason ?? 'No reason was given.'
    const message = `The endpoint is disabled: ${reason} The delivery waits, and goes out when the endpoint is enabled again.`
    return { code: 'disabled', message, since: endpointUpdatedAt }
  }
  if (failures >= breakerFailures) {
    const own = isLater ? ` This one is not tried before ${at(nextAttemptAt)}.` : ''
    const message = `The endpoint has only failed since ${at(failingSince)}, so it is probed by one delivery at a time, at most a minute apart, until one succeeds.${own}`
    return { code: 'probing', message, since: failingSince }
  }
  if (facts.heldBy !== null) {
    const message = `It waits behind ${facts.heldBy}, an earlier delivery for the same end-user that failed and is next tried at ${at(facts.heldUntil)}: the endpoint's ordering is per_end_user.`
    return { code: 'held_back', message }
  }
  if (isLater) {
    const message =
      facts.attempts === 0
        ? `Its first attempt is at ${at(nextAttemptAt)}.`
        : `Attempt ${facts.attempts} ended with ${facts.lastOutcome}; the next one is at ${at(nextAttemptAt)}.`
    return { code: 'retry_scheduled', message }
  }
  const ahead = facts.ahead ?? 0
  if (ahead === 0) return { code: 'due', message: 'It is being sent, or is about to be.' }
  const number = ahead >= aheadMax ? `${aheadMax} or more` : String(ahead)
  return {
    code: 'waiting_turn',
    message: `It waits for its turn: ${number} ${ahead === 1 ? 'delivery' : 'deliveries'} of this endpoint come before it.`,
  }
}

const verdictOf: Readonly<Record<EndpointCode, Verdict>> = {
  delivered: 'delivered',
  due: 'under_way',
  waiting_turn: 'under_way',
  held_back: 'under_way',
  retry_scheduled: 'under_way',
  probing: 'under_way',
  paused: 'under_way',
  disabled: 'under_way',
  exhausted: 'stopped',
  cancelled: 'stopped',
  filtered: 'unwanted',
  endpoint_newer: 'unwanted',
  never_queued: 'unwanted',
  not_addressed: 'unwanted',
  endpoint_deleted: 'unwanted',
}

const sentences: Readonly<Record<Verdict, string>> = {
  delivered: 'Every endpoint that was to get this event has it.',
  under_way: 'At least one endpoint is still to get this event.',
  stopped: 'At least one endpoint did not get this event, and nothing is tried any more.',
  unwanted: 'No endpoint was to get this event.',
  no_endpoint:
    'No webhook endpoint is set up. Make one with `POST /v0/webhook-endpoints`, or read events with `GET /v0/events?wait=30`.',
}

/** Of all endpoints together: what is under way counts before what has stopped, and that before what went well. */
export function judge(codes: readonly EndpointCode[]): { verdict: Verdict; message: string } {
  const found = new Set(codes.map((code) => verdictOf[code]))
  const order: readonly Verdict[] = ['under_way', 'stopped', 'delivered', 'unwanted']
  const verdict = order.find((candidate) => found.has(candidate)) ?? 'no_endpoint'
  return { verdict, message: sentences[verdict] }
}

function at(time: Date | null): string {
  return time === null ? 'an unknown time' : isoTime(time)
}

function counted(count: number | null, noun: string): string {
  return `${count ?? 0} ${noun}${count === 1 ? '' : 's'}`
}

const listedMax = 5

function listed(eventTypes: readonly string[]): string {
  const names = eventTypes.slice(0, listedMax).join(', ')
  return eventTypes.length > listedMax ? `${names} and ${eventTypes.length - listedMax} more` : names
}
