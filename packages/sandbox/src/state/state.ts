// The one typed store: each kind of row in a table of its own, in memory and, with a directory, in a database file. Rows
// are plain JSON and are replaced, never mutated, so that "before" and "after" of a change can be compared.
import { randomBytes } from 'node:crypto'
import type { Agreement, Customer, KycLink, Session } from '../customers/rows.ts'
import type { Deposit } from '../deposits/rows.ts'
import { newId } from '../platform/ids.ts'
import type { Rfi } from '../rfis/rows.ts'
import type { Activity, VirtualAccount } from '../virtual-accounts/rows.ts'
import type { Attempt, Lane, ProviderEvent, Webhook } from '../webhooks/rows.ts'
import { type Database, openDatabase } from './database.ts'
import type { ClockOffset, Identity, StoredAnswer, Task } from './rows.ts'

type Rows = {
  customers: Customer
  sessions: Session
  agreements: Agreement
  kycLinks: KycLink
  virtualAccounts: VirtualAccount
  deposits: Deposit
  activities: Activity
  rfis: Rfi
  events: ProviderEvent
  webhooks: Webhook
  lanes: Lane
  attempts: Attempt
  answers: StoredAnswer
  tasks: Task
  clock: ClockOffset
}

export type Table<Row extends { id: string }> = {
  get(id: string): Row | undefined
  put(row: Row): Row
  remove(id: string): void
  /** Returns every row, oldest first. A replaced row keeps its place. */
  all(): Row[]
  oldest(): Row | undefined
  readonly size: number
}

export type State = { [Name in keyof Rows]: Table<Rows[Name]> } & {
  identity: Identity
  nextEventSequence(): number
  lastEventSequence(): number
  /** Removes every row. The identity stays, so links and signatures from before a reset cannot match by chance. */
  reset(): void
  /** Writes what is pending to the database file. */
  flush(): void
  close(): void
}

/**
 * Opens the state in `directory`, or a state in memory when it is null.
 * @throws Error when another process uses the directory, or its database is damaged
 */
export const openState = (directory: string | null): State => {
  const database = directory === null ? null : openDatabase(directory)
  const table = <Name extends keyof Rows>(name: Name) => openTable<Rows[Name]>(name, database)
  const identities = openTable<Identity>('identity', database)
  const tables = {
    customers: table('customers'),
    sessions: table('sessions'),
    agreements: table('agreements'),
    kycLinks: table('kycLinks'),
    virtualAccounts: table('virtualAccounts'),
    deposits: table('deposits'),
    activities: table('activities'),
    rfis: table('rfis'),
    events: table('events'),
    webhooks: table('webhooks'),
    lanes: table('lanes'),
    attempts: table('attempts'),
    answers: table('answers'),
    tasks: table('tasks'),
    clock: table('clock'),
  }
  let sequence = tables.events.all().at(-1)?.envelope.event_sequence ?? 0
  return {
    ...tables,
    identity:
      identities.get('identity') ??
      identities.put({ id: 'identity', developerId: newId(), linkSecret: randomBytes(32).toString('hex') }),
    nextEventSequence: () => ++sequence,
    lastEventSequence: () => sequence,
    reset: () => {
      for (const { all, remove } of Object.values(tables)) for (const { id } of all()) remove(id)
    },
    flush: () => database?.commit(),
    close: () => database?.close(),
  }
}

const openTable = <Row extends { id: string }>(name: string, database: Database | null): Table<Row> => {
  // The only place where a row's type is asserted: each table is written through this function alone.
  const stored = (database?.read(name) ?? []) as Row[]
  const rows = new Map(stored.map((row) => [row.id, row]))
  return {
    get: (id) => rows.get(id),
    put: (row) => {
      rows.set(row.id, row)
      database?.write(name, row)
      return row
    },
    remove: (id) => {
      if (rows.delete(id)) database?.remove(name, id)
    },
    all: () => [...rows.values()],
    oldest: () => rows.values().next().value,
    get size() {
      return rows.size
    },
  }
}
