// Why an event was delivered to an endpoint, or not: one code and one sentence for each case. The sentences are for
// people, the codes never change.

import type { EventSource } from '../../events/catalogue.rules.ts'
import { isoTime } from '../../platform/values/time.ts'
import { breakerFailures } from '../delivery/circuit-breaker.rules.ts'

export const verdicts = ['delivered', 'under_way', 'stopped', 'unwanted', 'no_endpoint'] as const
export type Verdict = (typeof verdicts)[number]

/**
 * An event and one endpoint. Fields about the endpoint are null if it was deleted; fields about the delivery are null
 * if there is none.
 */
export type EndpointFacts = {
  endpointId: string
  url: string | null
  endpointStatus: 'enabled' | 'paused' | 'disabled' | null
  disabledReason: string | null
  eventTypes: string[] | null
  sources: EventSource[] | null
  endpointCreatedAt: Date | null
  endpointUpdatedAt: Date | null
  /** Consecutive failures. */
  failures: number
  failingSince: Date | null
  /** The endpoint was created after the event. */
  isNewer: boolean
  /** The endpoint subscribes to the event's type now. */
  isWanted: boolean
  deliveryId: string | null
  sequence: number | null
  deliveryStatus: 'pending' | 'delivered' | 'exhausted' | 'cancelled' | null
  attempts: number | null
  lastOutcome: string | null
  /** A sentence about the last attempt, if its outcome alone is not clear. */
  lastDetail: string | null
  /** Null before the first attempt. */
  nextAttemptAt: Date | null
  isDue: boolean
  finishedAt: Date | null
  /** The failed delivery of the same end-user that must be delivered first. */
  heldBy: string | null
  heldUntil: Date | null
  /** Deliveries ahead of this one in the endpoint's order, before its first attempt. */
  ahead: number | null
}

/** All values that a sentence may contain. */
type Case = EndpointFacts & { eventType: string; source: EventSource; aheadMax: number }

type Subject = { type: string; source: EventSource; isAddressed: boolean }

type Explained = { verdict: Verdict; message: (facts: Case) => string; since?: (facts: Case) => Date | null }

const finishedAt = (facts: Case) => facts.finishedAt
const endpointUpdatedAt = (facts: Case) => facts.endpointUpdatedAt
const again = 'Resend it with `POST /v0/deliveries/:id/retry`.'
const remedy = 'Send it with `POST /v0/events/:id/replay`.'
const waits = 'The delivery is sent when the endpoint is enabled again.'

const explanations = {
  delivered: {
    verdict: 'delivered',
    message: (facts) => `Delivered at ${at(facts.finishedAt)}, on attempt ${facts.attempts}.`,
    since: finishedAt,
  },
  due: { verdict: 'under_way', message: () => 'The delivery is being sent, or will be in a moment.' },
  waiting_turn: {
    verdict: 'under_way',
    message({ ahead, aheadMax }) {
      const number = ahead !== null && ahead >= aheadMax ? `${aheadMax} or more` : String(ahead)
      return `The delivery is queued: ${number} ${ahead === 1 ? 'delivery' : 'deliveries'} of this endpoint come first.`
    },
  },
  held_back: {
    verdict: 'under_way',
    message: ({ heldBy, heldUntil }) =>
      `The delivery is blocked by ${heldBy}, an earlier delivery for the same end-user that failed. Its next attempt is at ${at(heldUntil)}. The endpoint's ordering is per_end_user.`,
  },
  retry_scheduled: {
    verdict: 'under_way',
    message: ({ attempts, lastOutcome, nextAttemptAt }) =>
      attempts === 0
        ? `The first attempt is at ${at(nextAttemptAt)}.`
        : `Attempt ${attempts} ended with ${lastOutcome}. The next attempt is at ${at(nextAttemptAt)}.`,
  },
  probing: {
    verdict: 'under_way',
    message(facts) {
      const own = isLater(facts) ? ` Causeway does not retry this delivery before ${at(facts.nextAttemptAt)}.` : ''
      return `Every attempt to this endpoint has failed since ${at(facts.failingSince)}. Until one succeeds, Causeway sends one delivery at a time, no more than a minute apart.${own}`
    },
    since: (facts) => facts.failingSince,
  },
  paused: { verdict: 'under_way', message: () => `The endpoint is paused. ${waits}`, since: endpointUpdatedAt },
  disabled: {
    verdict: 'under_way',
    message: ({ disabledReason }) => `The endpoint is disabled: ${disabledReason ?? 'No reason was given.'} ${waits}`,
    since: endpointUpdatedAt,
  },
  exhausted: {
    verdict: 'stopped',
    message({ finishedAt, attempts, lastOutcome, lastDetail }) {
      const detail = lastDetail === null ? '' : ` ${lastDetail}`
      return `Failed at ${at(finishedAt)} after ${attemptsText(attempts)}; the last attempt ended with ${lastOutcome}.${detail} ${again}`
    },
    since: finishedAt,
  },
  cancelled: {
    verdict: 'stopped',
    message: (facts) => `Canceled at ${at(facts.finishedAt)}. ${again}`,
    since: finishedAt,
  },
  filtered: {
    verdict: 'unwanted',
    message: ({ eventTypes, sources, eventType, source }) =>
      sources?.includes(source)
        ? `The endpoint subscribes to ${listed(eventTypes ?? [])}, and the event is ${eventType}. ${remedy}`
        : `The endpoint receives only events of ${listed(sources ?? [])}, and this event is of ${source}. ${remedy}`,
  },
  endpoint_newer: {
    verdict: 'unwanted',
    message: (facts) => `The endpoint was created at ${at(facts.endpointCreatedAt)}, after this event. ${remedy}`,
    since: (facts) => facts.endpointCreatedAt,
  },
  never_queued: {
    verdict: 'unwanted',
    message: ({ eventType }) =>
      `No delivery was created: the endpoint did not subscribe to ${eventType} when the event arrived. ${remedy}`,
  },
  not_addressed: {
    verdict: 'unwanted',
    message: () => 'The event is a test for another endpoint, or is part of the event stream only.',
  },
  endpoint_deleted: {
    verdict: 'unwanted',
    message: ({ attempts }) =>
      `The endpoint was deleted before the event was delivered, after ${attemptsText(attempts)}.`,
    since: finishedAt,
  },
} as const satisfies Record<string, Explained>

export type EndpointCode = keyof typeof explanations
export const endpointCodes = Object.keys(explanations) as readonly EndpointCode[]

export type Explanation = { code: EndpointCode; message: string; since: Date | null }

/** Explains the status of an event at one endpoint. @param aheadMax `ahead` is not counted beyond this number */
export function explain(facts: EndpointFacts, { type, source, isAddressed }: Subject, aheadMax: number): Explanation {
  const code = codeOf(facts, isAddressed)
  const { message, since }: Explained = explanations[code]
  const all = { ...facts, eventType: type, source, aheadMax }
  return { code, message: message(all), since: since?.(all) ?? null }
}

/** The strongest reason comes first: while the endpoint is paused, the place in the queue does not matter. */
function codeOf(facts: EndpointFacts, isAddressed: boolean): EndpointCode {
  const { deliveryStatus, endpointStatus } = facts
  if (deliveryStatus === 'delivered') return 'delivered'
  if (deliveryStatus === null) {
    if (isAddressed) return 'not_addressed'
    if (facts.isNewer) return 'endpoint_newer'
    return facts.isWanted ? 'never_queued' : 'filtered'
  }
  if (endpointStatus === null) return 'endpoint_deleted'
  if (deliveryStatus !== 'pending') return deliveryStatus
  if (endpointStatus !== 'enabled') return endpointStatus
  if (facts.failures >= breakerFailures) return 'probing'
  if (facts.heldBy !== null) return 'held_back'
  if (isLater(facts)) return 'retry_scheduled'
  return facts.ahead ? 'waiting_turn' : 'due'
}

function isLater({ nextAttemptAt, isDue }: EndpointFacts): boolean {
  return nextAttemptAt !== null && !isDue
}

const sentences: Readonly<Record<Verdict, string>> = {
  under_way: 'At least one endpoint has not received this event yet.',
  stopped: 'At least one endpoint did not receive this event, and no further attempt is scheduled.',
  delivered: 'Every subscribed endpoint has received this event.',
  unwanted: 'No endpoint subscribed to this event.',
  no_endpoint:
    'No webhook endpoint exists. Create one with `POST /v0/webhook-endpoints`, or read events with `GET /v0/events?wait=30`.',
}

/** Summarizes all endpoints: pending comes before stopped, and stopped before delivered. */
export function judge(codes: readonly EndpointCode[]): { verdict: Verdict; message: string } {
  const found = new Set<Verdict>(codes.map((code) => explanations[code].verdict))
  const order = Object.keys(sentences) as Verdict[] // the strongest first
  const verdict = order.find((candidate) => found.has(candidate)) ?? 'no_endpoint'
  return { verdict, message: sentences[verdict] }
}

function at(time: Date | null): string {
  return time === null ? 'an unknown time' : isoTime(time)
}

function attemptsText(count: number | null): string {
  return `${count ?? 0} attempt${count === 1 ? '' : 's'}`
}

const listedMax = 5

function listed(eventTypes: readonly string[]): string {
  const names = eventTypes.slice(0, listedMax).join(', ')
  return eventTypes.length > listedMax ? `${names} and ${eventTypes.length - listedMax} more` : names
}
