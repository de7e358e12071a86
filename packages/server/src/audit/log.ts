// Writes the audit log. Each entry has an HMAC-SHA256 over its content and the entry before it, each chain a signed
// head. So write access to the database without the deployment secret is not enough to change or forge an entry.
// Decision record 26 gives the reasons and the limits.

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

/** A decrypted key of the chains. */
export type AuditKey = { id: number; key: KeyObject }

/** Oldest first: the last one signs, all verify. */
export type AuditKeys = ReadonlyMap<number, AuditKey>

/**
 * Appends an action to the chain of its business. The lock of the chain must be the last lock of a transaction: waiting
 * for another lock while holding it would block every action of the business, and could deadlock.
 */
export async function appendAudit(deps: AuditDeps, tx: Tx, by: Actor, act: Act): Promise<void> {
  const { businessId } = act
  const { keys, key } = await chainKeys(deps, tx)
  const { head, last, now } = await store.lockChain(tx, businessId)
  // A chain begins with its business. If a head is missing or altered, entries may be as well: no later head may hide
  // that.
  const isSound = head ? isHeadSigned(keys, head) : act.action === 'customer.created'
  // A row after the head was not written by Causeway: the chain continues after it, and `verify` reports it.
  const previous = head && head.number >= last.number ? head : last
  const entry: AuditEntry = {
    businessId,
    number: previous.number + 1,
    actor: by.name,
    person: by.person,
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

/** Creates the first key and the deployment's own chain, unless a key exists. */
export async function beginAudit(deps: AuditDeps & Pick<Core, 'db'>): Promise<void> {
  await deps.db.transaction((tx) => chainKeys(deps, tx))
}

/**
 * Creates a key under the newest deployment secret and signs every head with it. A key that an older secret opens then
 * signs nothing.
 */
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
 * Decrypts every key of the chains.
 * @throws Error if no deployment secret opens one
 */
export async function auditKeys(deps: Pick<Core, 'secrets'>, query: Query): Promise<AuditKeys> {
  const rows = await store.listAuditKeys(query)
  return new Map(rows.map((row) => [row.id, openKey(deps, row)]))
}

async function chainKeys(deps: AuditDeps, tx: Tx): Promise<{ keys: AuditKeys; key: AuditKey }> {
  let keys = await auditKeys(deps, tx)
  if (keys.size === 0) {
    await store.lockKeys(tx)
    keys = await auditKeys(deps, tx) // another server may have created the first key in the meantime
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

/** Encryption context of a key, so that a sealed key cannot replace another. */
export function auditKeyContext(id: number): string {
  return `audit key ${id}`
}

function codeOf({ key }: AuditKey, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Returns whether a code was created over the text with this key; false if the key is unknown. */
export function isSigned(key: AuditKey | undefined, text: string, code: Buffer): boolean {
  if (key === undefined) return false
  const expected = codeOf(key, text)
  return expected.length === code.length && timingSafeEqual(expected, code)
}

/** Returns whether a head has a valid signature of its key. */
export function isHeadSigned(keys: AuditKeys, head: store.SignedHead): boolean {
  return isSigned(keys.get(head.keyId), headText(head), head.signature)
}
