// What lies sealed, page by page, and its replacement by the same under another secret. A value that was changed meanwhile
// is left alone: whoever changed it sealed it anew. Crosses businesses: for the rotation of the deployment secret only.

import type { Scope } from '../../platform/http/caller.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

export type SealedSecrets = {
  businessId: string
  id: string
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
}

export async function listSealedSecrets(
  query: Query,
  after: Pick<SealedSecrets, 'businessId' | 'id'>,
  limit: number,
): Promise<SealedSecrets[]> {
  return await query<SealedSecrets[]>`
    select business_id, id, secret_sealed, previous_secret_sealed from webhook_endpoints
    where (business_id, id) > (${after.businessId}, ${after.id}) order by business_id, id limit ${limit}`
}

export async function replaceSecrets(tx: Tx, old: SealedSecrets, now: SealedSecrets): Promise<void> {
  await tx`
    update webhook_endpoints set secret_sealed = ${now.secretSealed}, previous_secret_sealed = ${now.previousSecretSealed}
    where business_id = ${old.businessId} and id = ${old.id} and secret_sealed = ${old.secretSealed}
      and previous_secret_sealed is not distinct from ${old.previousSecretSealed}::bytea`
}

/** `body` is null where it does not lie sealed. */
export type MaybeSealedBody = { id: string; body: Buffer | null }

export async function listSealedBodies(query: Query, after: string, limit: number): Promise<MaybeSealedBody[]> {
  return await query<MaybeSealedBody[]>`
    select id, case when length(body) > 0 and get_byte(body, 0) = 1 then body end as body
    from events where id > ${after} order by id limit ${limit}`
}

export async function replaceBodies(
  tx: Tx,
  changes: readonly { id: string; old: Buffer; body: Buffer }[],
): Promise<void> {
  // In the order in which an erasure locks them.
  await tx`select 1 from events where id = any(${changes.map(({ id }) => id)}::text[]) order by id for no key update`
  await tx`
    update events e set body = c.body
    from unnest(${changes.map(({ id }) => id)}::text[], ${changes.map(({ old }) => old)}::bytea[],
      ${changes.map(({ body }) => body)}::bytea[]) as c (id, old, body)
    where e.id = c.id and e.body = c.old`
}

/** Where answers of receivers lie, and the key of each. Finished ones first: a repeat on demand moves rows to the attempts. */
export const responseTables = [
  { name: 'finished_deliveries', id: 'id', attempt: 'attempts' },
  { name: 'delivery_attempts', id: 'delivery_id', attempt: 'attempt' },
] as const

export type ResponseTable = (typeof responseTables)[number]

export type SealedResponse = { deliveryId: string; attempt: number; sealed: Buffer }

export async function listSealedResponses(
  query: Query,
  { name, id, attempt }: ResponseTable,
  after: Pick<SealedResponse, 'deliveryId' | 'attempt'>,
  limit: number,
): Promise<SealedResponse[]> {
  return await query<SealedResponse[]>`
    select ${query.names(id)} as delivery_id, ${query.names(attempt)} as attempt, response_sealed as sealed
    from ${query.names(name)}
    where (${query.names(id)}, ${query.names(attempt)}) > (${after.deliveryId}, ${after.attempt}) and response_sealed is not null
    order by 1, 2 limit ${limit}`
}

export async function replaceResponses(
  tx: Tx,
  { name, id, attempt }: ResponseTable,
  changes: readonly (SealedResponse & { old: Buffer })[],
): Promise<void> {
  await tx`
    update ${tx.names(name)} r set response_sealed = c.sealed
    from unnest(${changes.map(({ deliveryId }) => deliveryId)}::text[], ${changes.map((change) => change.attempt)}::int[],
      ${changes.map(({ old }) => old)}::bytea[], ${changes.map(({ sealed }) => sealed)}::bytea[])
      as c (delivery_id, attempt, old, sealed)
    where r.${tx.names(id)} = c.delivery_id and r.${tx.names(attempt)} = c.attempt and r.response_sealed = c.old`
}

export type SealedAnswer = { businessId: string; operation: string; key: string; response: Buffer; expiresAt: Date }

export async function listSealedAnswers(
  query: Query,
  after: Pick<SealedAnswer, 'businessId' | 'operation' | 'key'>,
  limit: number,
): Promise<SealedAnswer[]> {
  return await query<SealedAnswer[]>`
    select business_id, operation, key, response, expires_at from idempotency_keys
    where (business_id, operation, key) > (${after.businessId}, ${after.operation}, ${after.key})
      and response is not null and expires_at > now()
    order by business_id, operation, key limit ${limit}`
}

export async function forgetAnswer(tx: Tx, answer: SealedAnswer): Promise<void> {
  await tx`
    delete from idempotency_keys where business_id = ${answer.businessId} and operation = ${answer.operation}
      and key = ${answer.key} and response = ${answer.response}`
}

export type OlderKey = { businessId: string; id: string; scopes: Scope[]; lastUsedAt: Date | null }

/** Live API keys whose digest was not taken under this secret. */
export async function listOlderKeys(query: Query, keyId: string, limit: number): Promise<OlderKey[]> {
  return await query<OlderKey[]>`
    select business_id, id, scopes, last_used_at from api_keys
    where secret_key_id is distinct from ${keyId} and revoked_at is null and (expires_at is null or expires_at > now())
    order by business_id, id limit ${limit}`
}

/** @returns whether it was under an older secret still, and alive */
export async function revokeOlderKey(tx: Tx, key: OlderKey, keyId: string): Promise<boolean> {
  const { count } = await tx`
    update api_keys set revoked_at = now()
    where business_id = ${key.businessId} and id = ${key.id} and secret_key_id is distinct from ${keyId} and revoked_at is null`
  return count > 0
}
