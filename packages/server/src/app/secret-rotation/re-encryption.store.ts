// Encrypted values, page by page, and their re-encryption with another secret. A value that changed in the meantime is
// skipped: its writer encrypted it with the newest secret. Runs across businesses: for the rotation of the deployment
// secret only. Touches webhook_endpoints, sign_in_issuers, console_sessions, alert_channels, events, finished_deliveries, delivery_attempts,
// idempotency_keys and api_keys.

import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Rows of one page, in the order of their keys. */
export const pageRows = 500

/**
 * A column of encrypted values: its key in page order, and the column that is authenticated together with the value.
 */
export type SealedColumn = {
  kind: 'webhookEndpoints' | 'signIns' | 'alertChannels' | 'events' | 'responses' | 'sessions'
  table: string
  key: string
  context: string
  column: string
}

const endpoints = { kind: 'webhookEndpoints', table: 'webhook_endpoints', key: 'id', context: 'business_id' } as const
const channels = { kind: 'alertChannels', table: 'alert_channels', key: 'id', context: 'business_id' } as const
const attempts = { kind: 'responses', table: 'delivery_attempts', key: 'delivery_id', context: 'delivery_id' } as const

/** Finished deliveries before attempts: a redelivery moves rows to the attempts. */
export const sealedColumns: readonly SealedColumn[] = [
  { ...endpoints, column: 'secret_sealed' },
  { ...endpoints, column: 'previous_secret_sealed' },
  {
    kind: 'signIns',
    table: 'sign_in_issuers',
    key: 'business_id',
    context: 'business_id',
    column: 'client_secret_sealed',
  },
  { ...channels, column: 'url_sealed' },
  { ...channels, column: 'secret_sealed' },
  { kind: 'events', table: 'events', key: 'id', context: 'id', column: 'body' },
  { kind: 'responses', table: 'finished_deliveries', key: 'id', context: 'id', column: 'response_sealed' },
  { ...attempts, column: 'response_sealed' },
  { kind: 'sessions', table: 'console_sessions', key: 'id', context: 'id', column: 'refresh_token' },
]

/** `sealed` is null if the value is not encrypted. */
export type SealedValue = { key: string; context: string; sealed: Buffer | null }

/** Lists the values of a page, including all that share the last key. */
export async function listSealedValues(
  query: Query,
  { table, key, context, column }: SealedColumn,
  after: string,
): Promise<SealedValue[]> {
  const value = query.names(column)
  return await query<SealedValue[]>`
    select ${query.names(key)} as key, ${query.names(context)} as context,
      case when length(${value}) > 0 and get_byte(${value}, 0) = 1 then ${value} end as sealed
    from ${query.names(table)} where ${query.names(key)} > ${after}
    order by ${query.names(key)} fetch first ${pageRows} rows with ties`
}

export async function replaceValue(
  tx: Tx,
  { table, key, context, column }: SealedColumn,
  old: SealedValue,
  sealed: Buffer,
): Promise<void> {
  await tx`
    update ${tx.names(table)} set ${tx.names(column)} = ${sealed}
    where ${tx.names(key)} = ${old.key} and ${tx.names(context)} = ${old.context} and ${tx.names(column)} = ${old.sealed}`
}

type AnswerKey = { businessId: string; operation: string; key: string }
export type SealedAnswer = AnswerKey & { response: Buffer; expiresAt: Date }

export async function listSealedAnswers(query: Query, after: AnswerKey): Promise<SealedAnswer[]> {
  return await query<SealedAnswer[]>`
    select business_id, operation, key, response, expires_at from idempotency_keys
    where (business_id, operation, key) > (${after.businessId}, ${after.operation}, ${after.key})
      and response is not null and expires_at > now()
    order by business_id, operation, key limit ${pageRows}`
}

export async function forgetAnswer(tx: Tx, answer: SealedAnswer): Promise<void> {
  await tx`
    delete from idempotency_keys where business_id = ${answer.businessId} and operation = ${answer.operation}
      and key = ${answer.key} and response = ${answer.response}`
}

export type OlderKey = { businessId: string; id: string; lastUsedAt: Date | null }

/** Lists live API keys whose digest was not computed with this secret. */
export async function listOlderKeys(query: Query, keyId: string, limit: number): Promise<OlderKey[]> {
  return await query<OlderKey[]>`
    select business_id, id, last_used_at from api_keys
    where secret_key_id is distinct from ${keyId} and revoked_at is null and (expires_at is null or expires_at > now())
    order by business_id, id limit ${limit}`
}

/** Revokes an API key. @returns whether it was alive, and still under an older secret */
export async function revokeOlderKey(tx: Tx, key: OlderKey, keyId: string): Promise<boolean> {
  const { count } = await tx`
    update api_keys set revoked_at = now()
    where business_id = ${key.businessId} and id = ${key.id} and secret_key_id is distinct from ${keyId} and revoked_at is null`
  return count > 0
}
