// Bank details that an account had before: payers keep old numbers for years.

import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { DepositInstructions } from '../bank-details.rules.ts'

export type FormerDetails = { instructions: DepositInstructions; validFrom: Date; validUntil: Date }

/** Keeps the bank details that a locked account has now, before others take their place. */
export async function keepDetails(tx: Tx, businessId: string, id: string): Promise<void> {
  await tx`
    insert into former_bank_details (business_id, virtual_account_id, number, instructions, valid_from, valid_until)
    select v.business_id, v.id, 1 + (
        select coalesce(max(f.number), 0) from former_bank_details f
        where f.business_id = v.business_id and f.virtual_account_id = v.id),
      v.instructions, coalesce(v.instructions_since, v.created_at), now()
    from virtual_accounts v where v.business_id = ${businessId} and v.id = ${id}`
}

/** Lists former bank details, the newest first. */
export async function listFormerDetails(
  query: Query,
  businessId: string,
  id: string,
  limit: number,
): Promise<FormerDetails[]> {
  return await query<FormerDetails[]>`
    select instructions, valid_from, valid_until from former_bank_details
    where business_id = ${businessId} and virtual_account_id = ${id}
    order by number desc limit ${limit}`
}
