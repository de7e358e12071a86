// Of which provider the rows are. Crosses businesses, and reads end_users, virtual_accounts, operations, provider_webhooks,
// event_pull and reread_walk.

import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Inserts the rows of the reconciliation; does nothing where the database has those of any provider. */
export async function claimDatabase(tx: Tx, provider: string): Promise<void> {
  await tx`
    insert into event_pull (provider, begins_at)
    select ${provider}, coalesce(min(created_at), now()) - interval '1 hour' from businesses
    on conflict do nothing`
  await tx`
    insert into reread_walk (provider) select provider from event_pull
    where not exists (select from reread_walk) on conflict do nothing`
}

/**
 * Finds another provider than this one in the rows. Of two providers one is at an end of each index that begins with the
 * provider, so no table is read; of operations only the open ones are, because ended ones are not sent again.
 */
export async function findOtherProvider(query: Query, provider: string): Promise<string | undefined> {
  const rows = await query<{ provider: string }[]>`
    select provider from (values
      ((select min(provider) from end_users)), ((select max(provider) from end_users)),
      ((select min(provider) from virtual_accounts)), ((select max(provider) from virtual_accounts)),
      ((select min(provider) from operations where state in ('running', 'unknown'))),
      ((select max(provider) from operations where state in ('running', 'unknown'))),
      ((select min(provider) from provider_webhooks)), ((select max(provider) from provider_webhooks)),
      ((select min(provider) from event_pull)), ((select max(provider) from event_pull)),
      ((select min(provider) from reread_walk)), ((select max(provider) from reread_walk))
    ) stored (provider)
    where provider <> ${provider} limit 1`
  return rows[0]?.provider
}
