// The state of the emulated Bridge: a table for each kind of row.

import { newId, randomHex } from '../../platform/ids.ts'
import type { ClockOffset } from '../../state/clock.ts'
import type { Database } from '../../state/database.ts'
import type { Task } from '../../state/scheduler.ts'
import { openTable, type Table } from '../../state/table.ts'
import type { Agreement, Customer, KycLink, Session } from '../customers/rows.ts'
import type { Deposit } from '../deposits/rows.ts'
import type { Rfi } from '../rfis/rows.ts'
import type { Activity, VirtualAccount } from '../virtual-accounts/rows.ts'
import type { Attempt, Lane, ProviderEvent, Webhook } from '../webhooks/rows.ts'
import type { Identity, StoredAnswer, TaskKind } from './rows.ts'

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
  tasks: Task<TaskKind>
  clock: ClockOffset
}

export type State = { [Name in keyof Rows]: Table<Rows[Name]> } & {
  identity: Identity
  nextEventSequence(): number
  lastEventSequence(): number
  /** Removes every row. The identity stays, so links and signatures from before a reset cannot match by chance. */
  reset(): void
}

/** Reads the state from the database, or makes one in memory when that is null. */
export const openState = (database: Database | null): State => {
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
      identities.get('identity') ?? identities.put({ id: 'identity', developerId: newId(), linkSecret: randomHex(64) }),
    nextEventSequence: () => ++sequence,
    lastEventSequence: () => sequence,
    reset: () => {
      for (const { all, remove } of Object.values(tables)) for (const { id } of all()) remove(id)
    },
  }
}
