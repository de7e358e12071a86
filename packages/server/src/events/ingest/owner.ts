// Finds the owner of an event that arrived before its owner was known, or that names objects of several businesses. If
// only the provider knows, the provider is asked: no business can claim an event by a name or an address that it
// chooses.

import { providerOf } from '../../platform/config.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { readIfPresent } from '../../provider/operations/operations.ts'
import type { EventReading, OwnerHints } from '../../provider/port.ts'
import { routeEvent } from '../store.ts'
import { findOwner, listCustomersOfName } from './owners.store.ts'
import type { Applies } from './ports.ts'

/** Routes the event to its owner's endpoints, if it has exactly one owner. */
export async function routeToOwner(
  { config }: Applies,
  tx: Tx,
  eventId: string,
  hints: OwnerHints,
): Promise<'routed' | 'unknown' | 'shared name' | 'two owners'> {
  const owner = await findOwner(tx, providerOf(config), hints)
  if (typeof owner === 'string') return owner
  await routeEvent(tx, eventId, owner)
  return 'routed'
}

/** Returns whether the event names an object whose owner the provider may know. */
export function isAskable({ named }: EventReading): boolean {
  return Object.values(named).some((ids) => ids.length > 0)
}

/**
 * Asks the provider for the customers of the event.
 * @returns their IDs, and our IDs that they contain
 * @throws ProviderError if the provider is unavailable
 */
export async function askForOwner(deps: Applies, { named, hints }: EventReading): Promise<string[]> {
  const asked = await Promise.all([
    named.customers,
    customersOfPages(deps, named.hostedPages),
    customersOfAccounts(deps, named.accounts, hints.externalUserId),
    customersOfActivities(deps, named.activities, named.accounts),
  ])
  const ids = [...new Set(asked.flat())]
  const customers = await Promise.all(ids.map((id) => readIfPresent(() => deps.provider.customers.read(id))))
  return [...ids, ...customers.flatMap((customer) => customer?.reference ?? [])]
}

async function customersOfPages(deps: Applies, pages: readonly string[]): Promise<string[]> {
  const readPage = deps.provider.hostedKyc?.readPage
  if (!readPage) return []
  const read = await Promise.all(pages.map((id) => readIfPresent(() => readPage(id))))
  return read.flatMap((page) => page?.customerId ?? [])
}

/** An account can be read only with its customer: try each end-user with this name. */
async function customersOfAccounts(deps: Applies, accounts: readonly string[], name: string | null): Promise<string[]> {
  const [account] = accounts
  if (account === undefined || name === null) return []
  const customers = await deps.db.read((query) => listCustomersOfName(query, providerOf(deps.config), name))
  const holders = await Promise.all(
    customers.map(async (id) => ((await readIfPresent(() => deps.provider.accounts.read(id, account))) ? id : [])),
  )
  return holders.flat()
}

/** Deposits cannot be read by ID: search the newest activities of all accounts. */
async function customersOfActivities(deps: Applies, activities: readonly string[], accounts: readonly string[]) {
  const { ofAll, pageMax: limit } = deps.provider.deposits
  if (activities.length === 0 || ofAll === null) return []
  const named = new Set<string | null>([...activities, ...accounts])
  const newest = (await readIfPresent(() => ofAll({ limit }))) ?? []
  return newest
    .filter(({ activity: { id }, depositId, virtualAccountId }) =>
      [id, depositId, virtualAccountId].some((one) => named.has(one)),
    )
    .flatMap(({ customerId }) => customerId ?? [])
}
