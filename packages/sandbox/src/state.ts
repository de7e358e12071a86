// The one typed store: every kind of record in a table of its own, each change journaled. Rows are plain JSON and are
// replaced, never mutated, so that "before" and "after" of a change can be compared.
import { randomBytes } from 'node:crypto'
import type { Activity } from './activities.ts'
import type { Agreement } from './agreements.ts'
import type { ClockOffset } from './clock.ts'
import { type Customer, laterCustomerFields } from './customer-record.ts'
import { type Deposit, laterDepositFields } from './deposits.ts'
import type { ProviderEvent } from './events.ts'
import type { StoredAnswer } from './idempotency.ts'
import { newId } from './ids.ts'
import { type Journal, type JournalEntry, lockState, memoryJournal, openJournal, readJournal } from './journal.ts'
import type { KycLink } from './kyc-links.ts'
import type { Task } from './scheduler.ts'
import type { Session } from './sessions.ts'
import type { VirtualAccount } from './virtual-accounts.ts'
import type { Attempt } from './webhook-delivery.ts'
import type { Lane, Webhook } from './webhooks.ts'

/** What makes this emulated provider itself: kept across restarts and resets. */
export type Identity = { id: 'identity'; developerId: string; linkSecret: string }

export type Table<Row extends { id: string }> = {
  get(id: string): Row | undefined
  put(row: Row): Row
  remove(id: string): void
  /** Oldest first; replacing a row keeps its place. */
  all(): Row[]
  oldest(): Row | undefined
  readonly size: number
}

export type State = {
  identity: Identity
  customers: Table<Customer>
  sessions: Table<Session>
  agreements: Table<Agreement>
  kycLinks: Table<KycLink>
  virtualAccounts: Table<VirtualAccount>
  deposits: Table<Deposit>
  activities: Table<Activity>
  events: Table<ProviderEvent>
  webhooks: Table<Webhook>
  lanes: Table<Lane>
  attempts: Table<Attempt>
  answers: Table<StoredAnswer>
  tasks: Table<Task>
  clock: Table<ClockOffset>
  nextEventSequence(): number
  lastEventSequence(): number
  /** Forgets every record. The identity stays, so links and signatures of an older world do not fit by chance. */
  reset(): void
  flush(): void
  close(): void
}

type AnyRow = { id: string }

const tableNames = [
  'identity',
  'customers',
  'sessions',
  'agreements',
  'kycLinks',
  'virtualAccounts',
  'deposits',
  'activities',
  'events',
  'webhooks',
  'lanes',
  'attempts',
  'answers',
  'tasks',
  'clock',
] as const

type TableName = (typeof tableNames)[number]

/** Opens the state in `directory`, or a state in memory alone when there is none. */
export const openState = (directory: string | null): State => {
  const rows = Object.fromEntries(tableNames.map((name) => [name, new Map<string, AnyRow>()])) as RowMaps
  let journal = memoryJournal
  if (directory !== null) {
    lockState(directory)
    replay(rows, readJournal(directory))
    journal = openJournal(directory, liveEntries(rows))
  }
  const table = <Row extends AnyRow>(name: TableName) => journaledTable<Row>(name, rows[name], journal)

  const identity = table<Identity>('identity')
  const events = table<ProviderEvent>('events')
  let sequence = events.all().at(-1)?.envelope.event_sequence ?? 0
  return {
    identity:
      identity.get('identity') ??
      identity.put({ id: 'identity', developerId: newId(), linkSecret: randomBytes(32).toString('hex') }),
    customers: table('customers'),
    sessions: table('sessions'),
    agreements: table('agreements'),
    kycLinks: table('kycLinks'),
    virtualAccounts: table('virtualAccounts'),
    deposits: table('deposits'),
    activities: table('activities'),
    events,
    webhooks: table('webhooks'),
    lanes: table('lanes'),
    attempts: table('attempts'),
    answers: table('answers'),
    tasks: table('tasks'),
    clock: table('clock'),
    nextEventSequence: () => ++sequence,
    lastEventSequence: () => sequence,
    reset: () => {
      for (const name of tableNames) {
        if (name === 'identity') continue
        for (const id of [...rows[name].keys()]) table(name).remove(id)
      }
    },
    flush: () => journal.flush(),
    close: () => journal.close(),
  }
}

/** Fields that came after the first state directories were written. */
const laterFields: Partial<Record<TableName, object>> = { customers: laterCustomerFields, deposits: laterDepositFields }

type RowMaps = Record<TableName, Map<string, AnyRow>>

const journaledTable = <Row extends AnyRow>(name: TableName, rows: Map<string, AnyRow>, journal: Journal) => {
  // The only place where a row's type is asserted: each table is filled by its own noun alone.
  const typed = rows as Map<string, Row>
  const table: Table<Row> = {
    get: (id) => typed.get(id),
    put: (row) => {
      typed.set(row.id, row)
      journal.append([name, row])
      return row
    },
    remove: (id) => {
      if (typed.delete(id)) journal.append([name, id, null])
    },
    all: () => [...typed.values()],
    oldest: () => typed.values().next().value,
    get size() {
      return typed.size
    },
  }
  return table
}

const replay = (rows: RowMaps, entries: JournalEntry[]): void => {
  for (const [name, subject] of entries) {
    // A table this version does not know: an older sandbox reads a newer state without it.
    const table = tableNames.find((known) => known === name)
    if (!table) continue
    if (typeof subject === 'string') rows[table].delete(subject)
    else rows[table].set(subject.id, { ...laterFields[table], ...subject })
  }
}

const liveEntries = function* (rows: RowMaps): Generator<JournalEntry> {
  for (const name of tableNames) for (const row of rows[name].values()) yield [name, row]
}
