// Writes the audit log. Each entry carries an HMAC-SHA256 over its content and the entry before it, each chain a signed
// head: write access to the database without the deployment secret is enough neither to change an entry nor to forge one.
// Decision record 26 says why, and where it ends.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Core } from '../platform/core.ts'
import type { Actor } from '../platform/http/caller.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { JsonObject } from '../platform/values/json.ts'
import {
  type AuditAction,
  type AuditEntry,
  type AuditHead,
  deploymentChain,
  entryText,
  headText,
  noHash,
} from './audit.rules.ts'
import * as store from './store.ts'

const keyBytes = 32

export type AuditDeps = Pick<Core, 'secrets' | 'randomBytes'>

export type Act = { businessId: string; action: AuditAction; subjectId: string; details?: JsonObject }

/** An unlocked key of the chains. */
export type AuditKey = { id: number; key: KeyObject }

/** Oldest first: the last one signs, all verify. */
export type AuditKeys = ReadonlyMap<number, AuditKey>

/**
 * Appends an act to the chain of its business. The last lock that a transaction takes is the lock of the chain: a transaction
 * that held it and waited for another lock would stop every act of the business, and could wait in a circle.
 */
export async function appendAudit(deps: AuditDeps, tx: Tx, by: Actor, act: Act): Promise<void> {
  const { businessId } = act
  const { keys, key } = await chainKeys(deps, tx)
  const { head, last, now } = await store.lockChain(tx, businessId)
  // A chain begins with its business. Where a head is gone or altered, entries may be as well: no later head may hide that.
  const isSound = head ? isHeadSigned(keys, head) : act.action === 'customer.created'
  // A row behind the head was not written by Causeway: the chain goes on behind it, and `verify` names it.
  const previous = head && head.number >= last.number ? head : last
  const entry: AuditEntry = {
    businessId,
    number: previous.number + 1,
    actor: by.name,
    action: act.action,
    subjectId: act.subjectId,
    details: act.details ?? {},
    requestId: by.requestId,
    createdAt: now,
  }
  const hash = codeOf(key, entryText(entry, key.id, previous.hash ?? noHash))
  await store.insertEntry(tx, entry, { keyId: key.id, hash })
  await saveHead(tx, key, { businessId, number: entry.number, hash }, isSound)
}

/** Makes the first key and the deployment's own chain, unless a key exists. */
export async function beginAudit(deps: AuditDeps & Pick<Core, 'db'>): Promise<void> {
  await deps.db.transaction((tx) => chainKeys(deps, tx))
}

/** Makes a key under the newest deployment secret and signs every head with it: a key that an older secret opens signs nothing any more. */
export async function renewAuditKey(deps: AuditDeps & Pick<Core, 'db'>): Promise<void> {
  const key = await deps.db.transaction(async (tx) => {
    await store.lockKeys(tx)
    const known = await store.listAuditKeys(tx)
    return await makeKey(deps, tx, (known.at(-1)?.id ?? 0) + 1)
  })
  for (;;) {
    const ids = await deps.db.read((query) => store.listOldHeads(query, key.id, 100))
    if (ids.length === 0) return
    for (const businessId of ids) {
      await deps.db.transaction(async (tx) => {
        const { keys } = await chainKeys(deps, tx)
        const { head } = await store.lockChain(tx, businessId)
        if (head && head.keyId < key.id) await saveHead(tx, key, head, isHeadSigned(keys, head))
      })
    }
  }
}

async function saveHead(tx: Tx, key: AuditKey, chain: Omit<AuditHead, 'keyId'>, isSound: boolean): Promise<void> {
  const head = { ...chain, keyId: key.id }
  await store.saveHead(tx, { ...head, signature: isSound ? codeOf(key, headText(head)) : noHash })
}

/**
 * Opens every key of the chains.
 * @throws Error when no deployment secret opens one
 */
export async function auditKeys(deps: Pick<Core, 'secrets'>, query: Query): Promise<AuditKeys> {
  const rows = await store.listAuditKeys(query)
  return new Map(rows.map((row) => [row.id, openKey(deps, row)]))
}

async function chainKeys(deps: AuditDeps, tx: Tx): Promise<{ keys: AuditKeys; key: AuditKey }> {
  let keys = await auditKeys(deps, tx)
  if (keys.size === 0) {
    await store.lockKeys(tx)
    keys = await auditKeys(deps, tx) // another server may have made the first key meanwhile
  }
  const newest = [...keys.values()].at(-1)
  if (newest) return { keys, key: newest }
  const key = await makeKey(deps, tx, 1)
  await saveHead(tx, key, { businessId: deploymentChain, number: 0, hash: noHash }, true)
  return { keys: new Map([[key.id, key]]), key }
}

async function makeKey(deps: AuditDeps, tx: Tx, id: number): Promise<AuditKey> {
  const row = { id, sealed: deps.secrets.sealBytes(deps.randomBytes(keyBytes), auditKeyContext(id)) }
  await store.saveAuditKey(tx, row)
  return openKey(deps, row)
}

function openKey({ secrets }: Pick<Core, 'secrets'>, { id, sealed }: store.AuditKeyRow): AuditKey {
  return { id, key: createSecretKey(secrets.openBytes(sealed, auditKeyContext(id))) }
}

/** Names a key to the secret box, so that a sealed key cannot take the place of another. */
export function auditKeyContext(id: number): string {
  return `audit key ${id}`
}

function codeOf({ key }: AuditKey, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Tells whether a code was made over the text with this key; false when the key is not known. */
export function isSigned(key: AuditKey | undefined, text: string, code: Buffer): boolean {
  if (key === undefined) return false
  const expected = codeOf(key, text)
  return expected.length === code.length && timingSafeEqual(expected, code)
}

/** Tells whether a head carries the signature of its key. */
export function isHeadSigned(keys: AuditKeys, head: store.SignedHead): boolean {
  return isSigned(keys.get(head.keyId), headText(head), head.signature)
}
