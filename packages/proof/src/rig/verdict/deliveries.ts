// Deliveries: each event reached each endpoint of its business, signed, with one body and one number; numbers have no holes; and
// where order is promised, none overtook an earlier one of its end-user. Pure.

import type { Attempt, Ledger } from '../ledger.ts'
import type { Expectation } from './expectation.ts'
import {
  type BusinessEvidence,
  type EndpointFacts,
  type Finding,
  type Observed,
  reliableEndpoints,
  timeOfDay,
  wireIdOf,
} from './observed.ts'

export function judgeDeliveries({ ledger, evidence }: Observed, expect: Expectation): Finding[] {
  const byEndpoint = Map.groupBy(ledger.attempts, ({ endpoint }) => endpoint)
  const sent = sentHashes(ledger)
  const findings = evidence.businesses.flatMap((one) =>
    reliableEndpoints(one.business).flatMap((endpoint) => {
      const attempts = byEndpoint.get(endpoint.name) ?? []
      return [
        ...judgeArrivals(endpoint.name, one, attempts),
        ...judgeSignatures(attempts, expect),
        ...judgeBodies(attempts, sent),
        ...judgeSequence(endpoint.name, attempts),
        ...(endpoint.ordering === 'per_end_user' ? judgeOrder(endpoint, attempts) : []),
      ]
    }),
  )
  const known = new Set(evidence.businesses.flatMap(({ business }) => business.endpoints.map(({ name }) => name)))
  for (const { endpoint, eventId } of ledger.attempts)
    if (!known.has(endpoint))
      findings.push({ kind: 'foreign', text: `${eventId} went to /${endpoint}, which nobody set up` })
  return findings
}

function sentHashes({ acknowledged }: Ledger): ReadonlyMap<string, string> {
  return new Map(acknowledged.flatMap((one) => (one.kind === 'event' ? [[one.eventId, one.bodyHash]] : [])))
}

function judgeArrivals(name: string, { business, events }: BusinessEvidence, attempts: readonly Attempt[]): Finding[] {
  const findings: Finding[] = []
  const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId)
  const known = new Map(events.map((event) => [wireIdOf(event), event]))
  for (const [eventId, { eventType }] of known) {
    const taken = (byEvent.get(eventId) ?? []).filter(({ accepted }) => accepted)
    if (taken.length === 0)
      findings.push({ kind: 'lost', text: `event ${eventId} (${eventType}) was never accepted at ${name}` })
    const times = taken.map(({ atMs }) => timeOfDay(atMs)).join(' and ')
    for (let extra = 1; extra < taken.length; extra++)
      findings.push({ kind: 'duplicate', text: `${name} accepted ${eventId} at ${times}` })
  }
  for (const eventId of byEvent.keys())
    if (!known.has(eventId)) {
      const text = `${name} got ${eventId}, which business ${business.index} cannot read`
      findings.push({ kind: 'foreign', text })
    }
  return findings
}

function judgeSignatures(attempts: readonly Attempt[], { signedOffMsMax }: Expectation): Finding[] {
  return attempts.flatMap((attempt): Finding[] => {
    const { endpoint, webhookId, isSigned, isVerified, signedAtMs, atMs } = attempt
    const about = `${timeOfDay(atMs)} delivery ${webhookId} to ${endpoint}`
    if (!isSigned) return [{ kind: 'broken', text: `${about} does not verify` }]
    const isTimely = signedOffMsMax === undefined ? isVerified : Math.abs(signedAtMs - atMs) <= signedOffMsMax
    return isTimely ? [] : [{ kind: 'broken', text: `${about} was signed for ${new Date(signedAtMs).toISOString()}` }]
  })
}

/** One event at one endpoint has one body, one `webhook-id` and one number, at every attempt. */
function judgeBodies(attempts: readonly Attempt[], sent: ReadonlyMap<string, string>): Finding[] {
  return [...Map.groupBy(attempts, ({ eventId }) => eventId)].flatMap(([eventId, own]): Finding[] => {
    const about = `event ${eventId} was delivered to ${own[0]?.endpoint}`
    const original = sent.get(eventId)
    const wrong: string[] = []
    const expectOne = (values: readonly unknown[], what: string): void => {
      const different = new Set(values)
      if (different.size > 1) wrong.push(`${about} with ${different.size} ${what}`)
    }
    expectOne([...own.map(({ bodyHash }) => bodyHash), ...(original === undefined ? [] : [original])], 'bodies')
    expectOne(
      own.map(({ webhookId }) => webhookId),
      'webhook-ids',
    )
    expectOne(
      own.map(({ sequence }) => sequence),
      'numbers',
    )
    return wrong.map((text) => ({ kind: 'broken', text }))
  })
}

/** Numbers of an endpoint are 1, 2, 3, … for one event each. */
function judgeSequence(endpoint: string, attempts: readonly Attempt[]): Finding[] {
  const findings: Finding[] = []
  const events = new Map<number, Set<string>>()
  for (const { sequence, eventId } of attempts) events.set(sequence, (events.get(sequence) ?? new Set()).add(eventId))
  const highest = attempts.reduce((most, { sequence }) => Math.max(most, sequence), 0)
  for (let sequence = 1; sequence <= highest; sequence++) {
    const ids = events.get(sequence)
    if (ids === undefined)
      findings.push({ kind: 'gap', text: `${endpoint} never saw number ${sequence} of ${highest}` })
    else if (ids.size > 1)
      findings.push({ kind: 'gap', text: `${endpoint}: ${[...ids].join(' and ')} both have number ${sequence}` })
  }
  return findings
}

/**
 * An event arrives for the first time only after every earlier one of its end-user was accepted. Earlier is what has the lower
 * number; and numbers follow the order in which events were acknowledged, where the load waited for each.
 */
function judgeOrder({ name }: EndpointFacts, attempts: readonly Attempt[]): Finding[] {
  const findings: Finding[] = []
  const ofUsers = Map.groupBy(
    attempts.filter(({ endUser }) => endUser !== ''),
    ({ endUser }) => endUser,
  )
  for (const [endUser, own] of ofUsers) {
    const events = [...Map.groupBy(own, ({ eventId }) => eventId)].map(([eventId, tries]) => ({
      eventId,
      sequence: tries[0]?.sequence ?? 0,
      place: tries[0]?.place ?? null,
      arrivedAtMs: Math.min(...tries.map(({ atMs }) => atMs)),
      acceptedAtMs: Math.min(...tries.filter(({ accepted }) => accepted).map(({ atMs, tookMs }) => atMs + tookMs)),
    }))
    events.sort((one, other) => one.sequence - other.sequence)
    for (const [at, later] of events.entries()) {
      const earlier = events[at - 1]
      // One that was never accepted is lost, and found as such.
      if (earlier === undefined || !Number.isFinite(earlier.acceptedAtMs) || later.arrivedAtMs >= earlier.acceptedAtMs)
        continue
      const text = `${timeOfDay(later.arrivedAtMs)} ${name}: ${later.eventId} of ${endUser} came before ${earlier.eventId} was accepted`
      findings.push({ kind: 'reordered', text })
    }
    const placed = events.filter(({ place }) => place !== null)
    for (const [at, { eventId, place }] of placed.entries())
      if (at > 0 && (placed[at - 1]?.place ?? 0) > (place ?? 0)) {
        const text = `${name}: ${eventId} of ${endUser} has a higher number than ${placed[at - 1]?.eventId}, acknowledged later`
        findings.push({ kind: 'reordered', text })
      }
  }
  return findings
}
