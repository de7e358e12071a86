// The verdict on a restore. Pure. Entries after the restored point are removed from the record, and skipped numbers are closed
// up: the rest must pass the verdict of every run as if the database had never been lost.

import type { Attempt, Ledger } from '../../rig/ledger.ts'
import type { Finding, Observed } from '../../rig/verdict/observed.ts'
import { type BusinessEvidence, member, type Row, wireIdOf } from '../../rig/verdict/observed.ts'
import type { ProviderRecord } from '../../rig/world.ts'
import type { Numbers } from './numbers.ts'

export type Seen = {
  /** Until the database was lost, everything settled. */
  before: Observed
  /** The first entries of its ledger, which were acknowledged before the point in time. */
  acknowledgedBefore: number
  pointMs: number
  /** Numbers at the point in time, and after the restore had moved them. */
  restored: Numbers
  moved: Numbers
  /** From the restored database's first server on. */
  after: Observed
  /** The provider's events that operators see as held. */
  held: readonly string[]
}

/** Outcomes of one batch at each endpoint are written after their responses. */
const unwrittenMs = 5_000

/** The objects that the gap lost, by ID. */
type Gap = Readonly<Record<'events' | 'users' | 'accounts' | 'customers' | 'providerEvents', ReadonlySet<string>>>

function only(observed: Observed): BusinessEvidence {
  const [business] = observed.evidence.businesses
  if (!business) throw new Error('the run has no business')
  return business
}

const ids = (rows: readonly Row[], name = 'id'): string[] => rows.map((row) => String(row[name]))
const recordOf = ({ evidence }: Observed): ProviderRecord =>
  evidence.provider ?? { customers: [], accounts: [], events: [] }

/** The provider's accounts that were opened in the gap. `isKnown`: whether they were asked for before it. */
function openedInGap({ before, after, pointMs }: Seen, isKnown: boolean): Row[] {
  const addresses = new Set(ids(only(after).accounts, 'destinationAddress'))
  return recordOf(after).accounts.filter(({ created_at: at, destination }) => {
    const createdMs = Date.parse(String(at))
    const isOfGap = createdMs >= pointMs && createdMs <= before.ledger.load.toMs + unwrittenMs
    return isOfGap && addresses.has(String(member(destination, 'address'))) === isKnown
  })
}

/** Only what did not exist at the point in time may be missing. */
function gapOf(seen: Seen): Gap {
  const { before, after } = seen
  const [was, is, record] = [only(before), only(after), recordOf(after)]
  const leftOut = (name: 'users' | 'events'): Set<string> => {
    const kept = new Set(ids(is[name]))
    return new Set(ids(was[name]).filter((id) => !kept.has(id)))
  }
  const users = leftOut('users')
  const customers = record.customers.filter((one) => users.has(String(one['client_reference_id'])))
  const gone = { customers: new Set(ids(customers)), accounts: new Set(ids(openedInGap(seen, false))) }
  const events = record.events.filter(({ event_object: about }) =>
    [member(about, 'id'), member(about, 'customer_id'), member(about, 'virtual_account_id')].some(
      (id) => gone.customers.has(String(id)) || gone.accounts.has(String(id)),
    ),
  )
  return { ...gone, users, events: leftOut('events'), providerEvents: new Set(ids(events, 'event_id')) }
}

/** The rest, to be judged as one run. */
export function asOneRun(seen: Seen): Observed {
  const { before, after, restored, moved } = seen
  const gap = gapOf(seen)
  const record = recordOf(after)
  const provider: ProviderRecord = {
    customers: record.customers.filter(({ id }) => !gap.customers.has(String(id))),
    accounts: record.accounts.filter(({ id }) => !gap.accounts.has(String(id))),
    events: record.events.filter(({ event_id: id }) => !gap.providerEvents.has(String(id))),
  }
  const firstOf = ({ endpoint }: Attempt): number => restored.sequences.get(endpoint) ?? 0
  const attempts = [
    ...before.ledger.attempts.filter((attempt) => attempt.sequence <= firstOf(attempt)),
    ...after.ledger.attempts.map((attempt) => {
      const first = firstOf(attempt)
      const skipped = (moved.sequences.get(attempt.endpoint) ?? first) - first
      return attempt.sequence > first ? { ...attempt, sequence: attempt.sequence - skipped } : attempt
    }),
  ]
  const skipped = moved.position - restored.position
  const pulled = [...after.ledger.pulled].map(([index, events]): [number, { id: string; position: number }[]] => [
    index,
    events.map(({ id, position }) => ({ id, position: position > restored.position ? position - skipped : position })),
  ])
  const acknowledged = [...promisesKept(seen), ...after.ledger.acknowledged]
  return {
    ...after,
    ledger: { ...after.ledger, acknowledged, attempts, pulled: new Map(pulled) },
    evidence: { ...after.evidence, provider },
  }
}

/**
 * What was acknowledged before the point in time. A fee or a state that was changed in the gap is the last one: the provider
 * has it. A request for an account is kept even if it came in the gap: the provider may have carried it out.
 */
function promisesKept({ before, after, acknowledgedBefore }: Seen): Ledger['acknowledged'] {
  const all = before.ledger.acknowledged
  const last = new Map(all.flatMap((one) => (one.kind === 'account' ? [[one.id, one] as const] : [])))
  const users = new Set(ids(only(after).users, 'externalUserId'))
  return [
    ...all.slice(0, acknowledgedBefore).map((one) => (one.kind === 'account' ? (last.get(one.id) ?? one) : one)),
    ...all
      .slice(acknowledgedBefore)
      .filter((one) => one.kind === 'request for an account' && users.has(one.externalUserId)),
  ].filter((one) => one.kind !== 'repeat')
}

/** Deliveries whose acceptance the restored database cannot know: each may come again. */
export function duplicatesMax({ before, restored, pointMs }: Seen): number {
  return before.ledger.attempts.filter(
    ({ accepted, atMs, endpoint, sequence }) =>
      accepted && atMs > pointMs - unwrittenMs && sequence <= (restored.sequences.get(endpoint) ?? 0),
  ).length
}

export function restoreFigures(seen: Seen) {
  const { before, after, restored, acknowledgedBefore } = seen
  const gap = gapOf(seen)
  const [was, is] = [only(before), only(after)]
  const positions = new Map(was.events.map(({ id, position }) => [position, id]))
  const all = Map.groupBy([...before.ledger.attempts, ...after.ledger.attempts], ({ endpoint }) => endpoint)
  const sequencesReused = [...all.values()].flatMap((own) =>
    [...Map.groupBy(own, ({ sequence }) => sequence).values()].filter(
      (same) => new Set(same.map(({ eventId }) => eventId)).size > 1,
    ),
  )
  const newest = (attempts: readonly Attempt[], endpoint: string, from: number): number[] =>
    attempts.filter((one) => one.endpoint === endpoint && one.sequence > from).map(({ sequence }) => sequence)
  const skips = [...restored.sequences].map(
    ([endpoint, first]) =>
      Math.min(...newest(after.ledger.attempts, endpoint, first)) -
      Math.max(first, ...newest(before.ledger.attempts, endpoint, first)),
  )
  const lastPosition = Math.max(0, ...was.events.map(({ position }) => Number(position)))
  const next = Math.min(...is.events.map(({ position }) => Number(position)).filter((at) => at > restored.position))
  return {
    acknowledgedBefore: before.ledger.acknowledged.slice(0, acknowledgedBefore).filter(({ kind }) => kind === 'event')
      .length,
    eventsOfGap: gap.events.size,
    endUsersOfGap: gap.users.size,
    sequencesReused: sequencesReused.length,
    positionsReused: is.events.filter(({ id, position }) => (positions.get(position) ?? id) !== id).length,
    /** The smallest distance between the last number of before and the first of after. */
    skipped: Math.min(next - lastPosition, ...skips),
    accountsUnknown: gap.accounts.size,
    /** Asked for before the point in time and opened after it: opened again, each is the same account. */
    accountsFoundAgain: openedInGap(seen, true).length,
    eventsHeld: seen.held.length,
    deliveredAgain: deliveredAgain(seen).length,
  }
}

/** Events of the provider that endpoints got in the gap, and get again under new numbers. */
function deliveredAgain({ before, after, restored }: Seen): Attempt[] {
  const again = new Map(after.ledger.attempts.map((one) => [`${one.endpoint} ${one.eventId}`, one]))
  const lost = before.ledger.attempts.filter(
    ({ endpoint, sequence }) => sequence > (restored.sequences.get(endpoint) ?? 0),
  )
  const twice = lost.map((one) => again.get(`${one.endpoint} ${one.eventId}`)).filter((one) => one !== undefined)
  return [...new Set(twice)]
}

/** Judges what only a restore can break. */
export function judgeRestore(seen: Seen): Finding[] {
  const { before, after, held } = seen
  const gap = gapOf(seen)
  const figures = restoreFigures(seen)
  const findings: Finding[] = []
  if (figures.sequencesReused > 0)
    findings.push({ kind: 'doubled', text: `${figures.sequencesReused} sequence numbers were given to two events` })
  if (figures.positionsReused > 0)
    findings.push({ kind: 'doubled', text: `${figures.positionsReused} positions were given to two events` })
  if (!(figures.skipped > 0))
    findings.push({ kind: 'doubled', text: `numbers continue ${figures.skipped} after the gap's` })
  const stored = new Map(only(before).events.map((event) => [event['id'], wireIdOf(event)]))
  for (const event of only(after).events) {
    const wireId = stored.get(event['id'])
    if (wireId !== undefined && wireId !== wireIdOf(event))
      findings.push({ kind: 'doubled', text: `the ID ${event['id']} was given to ${wireId} and ${wireIdOf(event)}` })
  }
  const record = new Set(ids(recordOf(after).events, 'event_id'))
  for (const { endpoint, eventId } of deliveredAgain(seen))
    if (!record.has(eventId))
      findings.push({ kind: 'doubled', text: `${endpoint} got ${eventId} again, which the provider never sent twice` })
  for (const id of held)
    if (!gap.providerEvents.has(id))
      findings.push({ kind: 'stuck', text: `the provider's event ${id} is held, and its account is known` })
  const known = new Set(only(after).users.map(({ id }) => id))
  const customers = new Map(only(after).users.map((user) => [user['id'], user['providerCustomerId']]))
  for (const { id, client_reference_id: reference } of recordOf(after).customers)
    if (known.has(reference) && customers.get(reference) === null)
      findings.push({ kind: 'lost', text: `end-user ${reference} has the customer ${id}, and nobody here knows` })
  return findings
}
