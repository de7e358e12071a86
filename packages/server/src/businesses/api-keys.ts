// The API keys of a business: authentication of requests; issuing, rolling and revoking keys.
// Above the usual length: issuing, rolling and revoking a key share what a revocation takes with it.

import { appendAudit } from '../audit/log.ts'
import { emit } from '../events/emit.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import {
  type Actor,
  actorOf,
  scopes as allScopes,
  type Business,
  operator,
  type Scope,
} from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import type { HeldKey, RequestScope } from '../platform/http/scope.ts'
import { notifyKeysChanged } from '../platform/postgres/notify.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { readNowMs } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import { isoTime, isWritable } from '../platform/values/time.ts'
import { apiKeyRandomBytes, formatApiKey, lastFour, parseApiKey } from './api-key.rules.ts'
import { ancestorsOf, countsOf, revokeCreated } from './descent.ts'
import type { ApiKeys } from './ports.ts'
import * as store from './store.ts'

export function apiKeyView(row: store.ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    lastFour: row.lastFour,
    scopes: row.scopes,
    createdAt: isoTime(row.createdAt),
    createdBy: row.createdBy,
    expiresAt: row.expiresAt ? isoTime(row.expiresAt) : null,
    lastUsedAt: row.lastUsedAt ? isoTime(row.lastUsedAt) : null,
    revokedAt: row.revokedAt ? isoTime(row.revokedAt) : null,
  }
}

/**
 * Finds the holder of a key. A known and an unknown key cost the same work: one digest, one look-up.
 * @returns the business that holds the key
 * @throws ApiError `api_key_malformed`, `api_key_invalid` (also revoked, expired, or of the other mode)
 */
export async function authenticateBusiness(
  deps: ApiKeys,
  key: string,
  requestId: string | null = null,
): Promise<Business> {
  const holder = await deps.apiKeyCache.holderOf(key, () => findHolder(deps, key))
  if (!holder) throw fail('api_key_invalid')
  const { businessId: id, name, status, keyId, scopes } = holder
  deps.lastUsedBuffer.add({ id: keyId, businessId: id })
  return {
    id,
    name,
    status,
    credentialId: keyId,
    person: null,
    scopes,
    sessionId: null,
    consoleLinkId: null,
    requestId,
  }
}

async function findHolder(deps: Core, keyText: string): Promise<store.KeyHolder | undefined> {
  const parsed = parseApiKey(keyText)
  if ('malformed' in parsed) throw fail('api_key_malformed')
  const digests = deps.secrets.keyDigests(parsed.key)
  const holder = await deps.db.read((query) => store.findKeyHolder(query, digests))
  if (!holder || parsed.mode !== keyMode(deps)) return
  await moveDigest(deps, holder, digests[0])
  return holder
}

/**
 * Moves the digest of a key to the newest deployment secret, before the response: `secrets rotate --now` revokes the
 * keys that are not moved, and must not revoke one in use.
 */
async function moveDigest(deps: Core, holder: store.KeyHolder, digest?: Buffer): Promise<void> {
  const newest = deps.secrets.keyIds[0]
  if (holder.secretKeyId === newest || !newest || !digest) return
  await deps.db
    .transaction((tx) => store.moveDigest(tx, holder, digest, newest))
    .catch((err: unknown) => deps.log.warn({ err, apiKey: holder.keyId }, 'API key digest not updated'))
}

export type NewKey = { name?: string; scopes?: readonly Scope[]; expiresAt?: Date }

/**
 * Operator: issues a key of any business.
 * @throws ApiError `customer_not_found`, `invalid_value`, `api_key_limit_reached`
 */
export async function issueApiKey(deps: Core, businessId: string, input: NewKey, by: Actor = operator) {
  return await issue(deps, null, businessId, { ...input, by, ancestors: async () => [] })
}

type Issued = NewKey & {
  by: Actor
  /** Reads the ancestors of the new key: the credential that creates it, and that credential's ancestors. */
  ancestors: (tx: Tx) => Promise<readonly string[]>
}

async function issue(deps: Core, held: HeldKey | null, businessId: string, { by, ancestors, ...input }: Issued) {
  if (
    input.expiresAt &&
    !(isWritable(input.expiresAt) && input.expiresAt.getTime() > (await deps.db.read(readNowMs)))
  ) {
    const message = 'expiresAt must be a time in the future, before the year 10000.'
    throw fail('invalid_value', { message, details: [{ param: 'expiresAt', code: 'invalid_value', message }] })
  }
  return await answeringTransaction(deps, held, async (tx) => {
    if (!(await store.lockBusiness(tx, businessId))) throw fail('customer_not_found')
    await requireRoom(tx, businessId)
    const { key, ...view } = await insertKey(deps, tx, businessId, { ...input, ancestors: await ancestors(tx) }, by)
    const { id, scopes, expiresAt } = view
    const details = { scopes, expiresAt }
    await appendAudit(deps, tx, by, { businessId, action: 'api_key.created', subjectId: id, details })
    return { ...view, key }
  })
}

/**
 * Issues a key with at most the scopes of the calling one.
 * @throws ApiError `insufficient_scope`, `invalid_value`, `api_key_limit_reached`
 */
export async function issueOwnApiKey(deps: Core, { business, held }: RequestScope, input: NewKey) {
  const scopes = input.scopes ?? business.scopes
  requireNoMore(business, scopes)
  const created = { by: actorOf(business), ancestors: (tx: Tx) => ancestorsOf(tx, business) }
  return await issue(deps, held, business.id, { ...input, scopes, ...created })
}

const liveKeysMax = 100

/** The transaction holds the lock of the business, so no other request adds a key between the count and the insert. */
async function requireRoom(tx: Tx, businessId: string): Promise<void> {
  const count = await store.countLiveApiKeys(tx, businessId)
  if (count >= liveKeysMax) throw fail('api_key_limit_reached', { facts: { liveKeysMax } })
}

/**
 * A key can neither issue nor revoke a key with more scopes: a stolen weak key must not lock out a strong one.
 * @throws ApiError `insufficient_scope`
 */
export function requireNoMore(business: Business, scopes: readonly Scope[]): void {
  const beyond = scopes.find((scope) => !business.scopes.includes(scope))
  if (beyond) throw fail('insufficient_scope', { facts: { scope: beyond } })
}

export async function listApiKeys(deps: Core, businessId: string, page: PageRequest): Promise<Page<store.ApiKeyRow>> {
  return await deps.db.read((query) => store.listApiKeys(query, businessId, page))
}

/**
 * Replaces a key. The old key works for another `expiresInHours`, so that callers can switch; 0 revokes it now.
 * @returns the new key, with the name, scopes and expiration of the old
 * @throws ApiError `api_key_not_found`, `insufficient_scope`, `api_key_limit_reached`
 */
export async function rollApiKey(deps: ApiKeys, scope: RequestScope, keyId: string, expiresInHours: number) {
  const { business, held } = scope
  return await changingKeys(deps, held, business.id, async (tx) => {
    await store.lockBusiness(tx, business.id)
    const ancestors = await ancestorsOf(tx, business) // before a key that rolls itself has ended
    const old = await lockLiveKey(tx, business.id, keyId)
    requireNoMore(business, old.scopes)
    const nowMs = await readNowMs(tx)
    const endsAt = expiresInHours === 0 ? null : new Date(nowMs + expiresInHours * 3_600_000)
    await store.endApiKey(tx, business.id, keyId, endsAt)
    await requireRoom(tx, business.id)
    const { name, scopes, expiresAt } = old
    const input = { name, scopes, ...(expiresAt && { expiresAt }), ancestors }
    const fresh = await insertKey(deps, tx, business.id, input, actorOf(business))
    const owner = { businessId: business.id, endUserId: null, virtualAccountId: null, externalUserId: null }
    await emit(deps, tx, 'api_key.rolled', owner, {
      oldKeyId: keyId,
      newKeyId: fresh.id,
      oldKeyEndsAt: (endsAt ?? new Date(nowMs)).toISOString(),
    })
    await appendAudit(deps, tx, actorOf(business), {
      businessId: business.id,
      action: 'api_key.rolled',
      subjectId: keyId,
      details: { newKeyId: fresh.id, expiresInHours },
    })
    return fresh
  })
}

/**
 * Revokes a key.
 * @param withCreated also revokes everything that the key created, directly or indirectly; then the key may have ended
 * before
 * @throws ApiError `api_key_not_found`, `insufficient_scope`
 */
export async function revokeApiKey(deps: ApiKeys, scope: RequestScope, keyId: string, withCreated: boolean) {
  const { business, held } = scope
  return await changingKeys(deps, held, business.id, async (tx) => {
    const key = { businessId: business.id, id: keyId }
    requireNoMore(business, (await lockKeyToEnd(tx, key, withCreated)).scopes)
    return await endKey(deps, tx, key, actorOf(business), withCreated)
  })
}

/**
 * Operator: revokes a key of any business.
 * @param withCreated as in `revokeApiKey`
 * @throws ApiError `api_key_not_found`
 */
export async function revokeAnyApiKey(deps: ApiKeys, key: store.ApiKeyId, by: Actor, withCreated: boolean) {
  return await changingKeys(deps, null, key.businessId, async (tx) => {
    await lockKeyToEnd(tx, key, withCreated)
    return await endKey(deps, tx, key, by, withCreated)
  })
}

async function lockKeyToEnd(tx: Tx, { businessId, id }: store.ApiKeyId, withCreated: boolean) {
  if (!withCreated) return await lockLiveKey(tx, businessId, id)
  return present(await store.lockApiKey(tx, businessId, id))
}

function present(row: store.ApiKeyRow | undefined): store.ApiKeyRow {
  if (!row) throw fail('api_key_not_found')
  return row
}

async function endKey(deps: Core, tx: Tx, { businessId, id }: store.ApiKeyId, by: Actor, withCreated: boolean) {
  await store.endApiKey(tx, businessId, id, null)
  const alsoRevoked = withCreated ? await revokeCreated(tx, businessId, id) : undefined
  const row = present(await store.lockApiKey(tx, businessId, id))
  const details = alsoRevoked && { alsoRevoked: countsOf(alsoRevoked) }
  await appendAudit(deps, tx, by, { businessId, action: 'api_key.revoked', subjectId: id, ...(details && { details }) })
  return { ...apiKeyView(row), ...(alsoRevoked && { alsoRevoked }) }
}

/**
 * Runs a change of keys, or of their holder's permissions. It takes effect here when this returns, and on other
 * replicas when they are notified.
 */
export async function changingKeys<T>(
  deps: ApiKeys,
  held: HeldKey | null,
  businessId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await answeringTransaction(deps, held, async (tx) => {
      const result = await work(tx)
      await notifyKeysChanged(tx, businessId)
      return result
    })
  } finally {
    deps.apiKeyCache.forget() // also if the outcome of the COMMIT is unknown
  }
}

async function lockLiveKey(tx: Tx, businessId: string, keyId: string): Promise<store.ApiKeyRow> {
  const row = await store.lockApiKey(tx, businessId, keyId)
  const expired = row?.expiresAt && row.expiresAt.getTime() <= (await readNowMs(tx))
  if (!row || row.revokedAt || expired) throw fail('api_key_not_found')
  return row
}

/** The key itself is shown once, in the response that creates it. */
type Ancestry = { ancestors: readonly string[] }

async function insertKey(deps: Core, tx: Tx, businessId: string, input: NewKey & Ancestry, by: Actor) {
  const key = formatApiKey(keyMode(deps), deps.randomBytes(apiKeyRandomBytes))
  const [digest, secretKeyId] = [deps.secrets.keyDigests(key)[0], deps.secrets.keyIds[0]]
  if (!digest || !secretKeyId) throw new Error('no deployment secret')
  const row = await store.insertApiKey(tx, {
    businessId,
    id: makeId('apiKey', deps.randomBytes(16)),
    name: input.name ?? 'API key',
    digest,
    secretKeyId,
    lastFour: lastFour(key),
    scopes: input.scopes ?? allScopes,
    expiresAt: input.expiresAt ?? null,
    createdBy: by.name.split('/', 1).join(''), // without the console session
    ancestors: input.ancestors,
  })
  return { ...apiKeyView(row), key }
}

function keyMode(deps: Pick<Core, 'config'>): 'test' | 'live' {
  return deps.config.mode === 'live' ? 'live' : 'test'
}
