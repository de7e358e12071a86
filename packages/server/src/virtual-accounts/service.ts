// Virtual accounts as they are kept: read for a business, for the provider's ids, or locked for a change.

import type { Deps } from '../app/context.ts'
import { type ApiError, fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import * as store from './store.ts'
import { virtualAccountView } from './view.ts'

export type VirtualAccount = store.VirtualAccountRow

/** What other subjects may ask of the table; all but the last cross businesses. */
export const { findAccountOfProvider, lockAccountOfProvider, listAccountsUpstream, lockVirtualAccount } = store

/** Finds an account of this business; another business's account reads as absent. @throws ApiError `virtual_account_not_found` */
export async function accountOf(query: Query, business: Business, id: string): Promise<store.VirtualAccountRow> {
  return present(await store.findVirtualAccount(query, business.id, id))
}

/** Reads the account of an operation. @throws ApiError `virtual_account_not_found` */
export async function getAccount(deps: Deps, businessId: string, id: string): Promise<store.VirtualAccountRow> {
  return present(await deps.db.read((query) => store.findVirtualAccount(query, businessId, id)))
}

/** Locks an account for the transaction. @throws ApiError `virtual_account_not_found` when it has been erased meanwhile */
export async function lockedAccount(
  tx: Tx,
  { businessId, id }: Pick<store.VirtualAccountRow, 'businessId' | 'id'>,
): Promise<store.VirtualAccountRow> {
  return present(await store.lockVirtualAccount(tx, businessId, id))
}

export function changeInProgress(): ApiError {
  return fail('account_change_in_progress', { retryAfterSeconds: 2 })
}

function present(row: store.VirtualAccountRow | undefined): store.VirtualAccountRow {
  if (!row) throw fail('virtual_account_not_found', { param: 'id' })
  return row
}

/** Reads an account. @throws ApiError `virtual_account_not_found` */
export async function getVirtualAccount(
  deps: Deps,
  business: Business,
  id: string,
): Promise<ReturnType<typeof virtualAccountView>> {
  return virtualAccountView(await deps.db.read((query) => accountOf(query, business, id)))
}

/** Lists accounts, the newest first. */
export async function listVirtualAccounts(
  deps: Deps,
  business: Business,
  filter: store.VirtualAccountFilter,
  page: PageRequest,
): Promise<Page<store.VirtualAccountRow>> {
  return await deps.db.read((query) => store.listVirtualAccounts(query, business.id, filter, page))
}
