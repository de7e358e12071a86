// What a restore promises, held against what a run has seen. Pure.

import type { JsonObject } from '../../../server/src/platform/values/json.ts'
import { decimalOf } from '../chaos/verdict/decimals.ts'
import type { ReceiverLine } from '../chaos-relay/receivers.ts'
import type { ProviderRecord } from '../relay-world/provider.ts'
import type { HandedOut } from './record.ts'

export type Seen = {
  /** The provider's events that were acknowledged before the point in time. */
  acknowledgedBefore: readonly string[]
  /** Just before the database was lost, at the point in time, and once everything was settled again. */
  lost: HandedOut
  restored: HandedOut
  settled: HandedOut
  provider: ProviderRecord
  lines: readonly ReceiverLine[]
}

export type RestoreFigures = {
  acknowledgedBefore: number
  /** Acknowledged before the point in time and not in the restored database. */
  lostBefore: number
  /** Events and end-users that the point in time left out: the proof is nothing without some. */
  eventsOfGap: number
  endUsersOfGap: number
  /** The provider's events that are in its record and not here. */
  missingOfRecord: number
  /** Numbers of endpoints, places of the stream, and ids of events that two events bore. */
  sequencesReused: number
  positionsReused: number
  idsReused: number
  /** How far numbers jumped, at the least. */
  skipped: number
  /** Customers that the provider has for an end-user who is known here, and who has none. */
  customersNotAdopted: number
  /** Open accounts whose fee or state is not the provider's. */
  accountsDiffering: number
  depositsMissing: number
  /** Accounts that the provider opened in the gap, and nobody here knows. */
  accountsUnknown: number
  /** Events that the operator is shown as held, for they are about what the gap took. */
  eventsHeld: number
  /** Stored events of the business that an endpoint never got. */
  undelivered: number
  /** Events that an endpoint got under two numbers: the provider's events of the gap come a second time. */
  deliveredAgain: number
}

export function judgeRestore(seen: Seen): RestoreFigures {
  const { lost, restored, settled, provider, lines } = seen
  const gap = [...lost.eventIds].filter((id) => !restored.eventIds.has(id))
  const positions = [...settled.positions].filter(([position, id]) => {
    const before = lost.positions.get(position)
    return before !== undefined && before !== id
  })
  const byEndpoint = numbersOf(lines)
  const upstream = new Map(provider.accounts.map((account) => [String(account['id']), account]))
  const deposits = depositsOf(provider.events, settled.accounts)
  return {
    acknowledgedBefore: seen.acknowledgedBefore.length,
    lostBefore: seen.acknowledgedBefore.filter((id) => !restored.providerEventIds.has(id)).length,
    eventsOfGap: gap.length,
    endUsersOfGap: [...lost.externalUserIds].filter((id) => !restored.externalUserIds.has(id)).length,
    missingOfRecord: provider.events.filter((event) => !settled.providerEventIds.has(String(event['event_id']))).length,
    sequencesReused: byEndpoint.reused,
    positionsReused: positions.length,
    idsReused: gap.filter((id) => settled.eventIds.has(id)).length,
    skipped: Math.min(
      settled.lastPosition - lost.lastPosition,
      ...[...lost.sequences].map(([endpoint, number]) => (settled.sequences.get(endpoint) ?? 0) - number),
    ),
    customersNotAdopted: provider.customers.filter(
      ({ client_reference_id: reference }) => settled.customers.get(String(reference)) === null,
    ).length,
    accountsDiffering: [...settled.accounts].filter(([id, held]) => differs(held, upstream.get(id))).length,
    depositsMissing: deposits.filter((id) => !settled.deposits.has(id)).length,
    accountsUnknown: [...upstream.keys()].filter((id) => !settled.accounts.has(id)).length,
    eventsHeld: settled.held,
    undelivered: byEndpoint.undelivered(settled.wireIds),
    deliveredAgain: byEndpoint.again,
  }
}

function differs(held: { fee: string; status: string }, made: JsonObject | undefined): boolean {
  if (made === undefined) return true
  const status = made['status'] === 'deactivated' ? 'deactivated' : 'active'
  return held.status !== status || decimalOf(made['developer_fee_percent']) !== decimalOf(held.fee)
}

/** Deposits that the bank knows into accounts that are known here. */
function depositsOf(events: readonly JsonObject[], accounts: HandedOut['accounts']): string[] {
  const steps = events
    .filter((event) => event['event_category'] === 'virtual_account.activity')
    .map((event) => event['event_object'] as JsonObject)
  const ours = steps.filter((step) => accounts.has(String(step['virtual_account_id'])))
  return [...new Set(ours.flatMap((step) => (step['deposit_id'] === undefined ? [] : [String(step['deposit_id'])])))]
}

function numbersOf(lines: readonly ReceiverLine[]) {
  const events = new Map<string, Map<number, Set<string>>>()
  const numbers = new Map<string, Map<string, Set<number>>>()
  for (const { what, endpoint, sequence, eventId } of lines) {
    if (what !== 'answered') continue
    const ofSequence = of(
      of(events, endpoint, () => new Map<number, Set<string>>()),
      sequence,
      () => new Set<string>(),
    )
    ofSequence.add(eventId)
    of(
      of(numbers, endpoint, () => new Map<string, Set<number>>()),
      eventId,
      () => new Set<number>(),
    ).add(sequence)
  }
  const count = (maps: Iterable<Map<unknown, Set<unknown>>>): number =>
    [...maps].reduce((sum, map) => sum + [...map.values()].filter((set) => set.size > 1).length, 0)
  return {
    reused: count(events.values()),
    again: count(numbers.values()),
    undelivered: (wanted: ReadonlySet<string>): number =>
      [...numbers.values()].reduce((sum, map) => sum + [...wanted].filter((eventId) => !map.has(eventId)).length, 0),
  }
}

function of<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

export type RestoreReport = RestoreFigures & {
  /** From the start of the first server to the first delivery. */
  firstDeliveryMs: number
  settledMs: number
  /** What had not ended in time. */
  stuck: number
  /** A place beyond the restored end of the stream is told that events are gone, and leads on; 1 when it did. */
  readersTold: number
  /** Keys that were alive at the point in time and open nothing after `--end-keys`. */
  keysEnded: number
  keysStillOpen: number
  auditFaults: number
  /** Heads of the audit log that were published in the gap: the check against them has to name the entries that are gone. */
  auditGapNamed: number
  /** The dump, under another login: rows that differ, and requests that it answered. */
  dumpRowsDiffering: number
  dumpRequestsServed: number
  dumpRefusedToOwner: number
}

const none = {
  lostBefore: 'acknowledged before the point in time and not there',
  missingOfRecord: "of the provider's events are not there",
  sequencesReused: 'sequence numbers were given to two events',
  positionsReused: 'places of the stream were given to two events',
  idsReused: 'ids of events were given out twice',
  customersNotAdopted: 'end-users do not have the customer that the provider has for them',
  accountsDiffering: 'accounts are other than at the provider',
  depositsMissing: 'deposits are at the bank and not here',
  undelivered: 'events never reached an endpoint',
  stuck: 'things had not ended in time',
  keysStillOpen: 'API keys were ended and open something',
  auditFaults: 'faults in the audit log',
  dumpRowsDiffering: 'tables of the dump differ',
} as const satisfies Partial<Record<keyof RestoreReport, string>>

const some = {
  acknowledgedBefore: 'no event was acknowledged before the point in time',
  eventsOfGap: 'the point in time left no event out',
  endUsersOfGap: 'the point in time left no end-user out',
  skipped: 'the numbers did not move on',
  readersTold: 'a reader beyond the end of the stream was not told',
  keysEnded: 'no API key was ended',
  auditGapNamed: 'the published heads of the audit log did not tell',
  dumpRequestsServed: 'nothing was served from the dump',
  dumpRefusedToOwner: 'a dump by the owner without row security was not refused: the page says that it is',
} as const satisfies Partial<Record<keyof RestoreReport, string>>

const firstDeliveryMsMax = 30_000

/** Lists the faults of a run: none when every promise held and the run could have broken one. */
export function faultsOf(report: RestoreReport): string[] {
  const faults: string[] = []
  for (const [name, what] of namesOf(none)) if (report[name] > 0) faults.push(`${report[name]} ${what}`)
  for (const [name, what] of namesOf(some)) if (!(report[name] > 0)) faults.push(what)
  if (report.firstDeliveryMs > firstDeliveryMsMax) faults.push(`no delivery for ${report.firstDeliveryMs} ms`)
  return faults
}

/** The entries of a table, its names as narrow as it has them. */
function namesOf<Name extends string>(table: Readonly<Record<Name, string>>): [Name, string][] {
  return Object.entries(table) as [Name, string][]
}
