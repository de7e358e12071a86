// The issuers of businesses. Client secrets arrive here encrypted.

import type { RoleMapping } from '../platform/config.ts'
import { only } from '../platform/postgres/database.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'

export type IssuerRow = {
  businessId: string
  issuer: string
  clientId: string
  /** Null: a public client. */
  clientSecretSealed: Buffer | null
  roles: RoleMapping
  scope: string
  updatedAt: Date
}

const columns = (query: Query) => query`business_id, issuer, client_id, client_secret_sealed, roles, scope, updated_at`

export async function findIssuer(query: Query, businessId: string): Promise<IssuerRow | undefined> {
  const rows = await query<IssuerRow[]>`
    select ${columns(query)} from sign_in_issuers where business_id = ${businessId}`
  return rows[0]
}

/** Locks the issuer of a business against changes until the transaction ends. */
export async function lockIssuer(tx: Tx, businessId: string): Promise<IssuerRow | undefined> {
  const rows = await tx<IssuerRow[]>`
    select ${columns(tx)} from sign_in_issuers where business_id = ${businessId} for no key update`
  return rows[0]
}

export async function saveIssuer(tx: Tx, row: Omit<IssuerRow, 'updatedAt'>): Promise<IssuerRow> {
  return only(
    await tx<IssuerRow[]>`
      insert into sign_in_issuers (business_id, issuer, client_id, client_secret_sealed, roles, scope)
      values (${row.businessId}, ${row.issuer}, ${row.clientId}, ${row.clientSecretSealed}, ${tx.json(row.roles)}, ${row.scope})
      on conflict (business_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
        client_secret_sealed = excluded.client_secret_sealed, roles = excluded.roles, scope = excluded.scope,
        updated_at = greatest(now(), sign_in_issuers.updated_at + interval '1 millisecond')
      returning ${columns(tx)}`,
  )
}

/** @returns the row as it was */
export async function deleteIssuer(tx: Tx, businessId: string): Promise<IssuerRow | undefined> {
  const rows = await tx<IssuerRow[]>`
    delete from sign_in_issuers where business_id = ${businessId} returning ${columns(tx)}`
  return rows[0]
}
