// Writes the audit log. Each entry carries a code (HMAC-SHA256) over all that it says and the entry before it, each chain a
// signed head: whoever can write to the database and does not hold the deployment secret can neither change an entry nor
// make one up. docs/adr/0026 says why, and where it ends.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../app/context.ts'
import type { Actor } from '../platform/http/caller.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { isJsonObject, type JsonObject } from '../platform/values/json.ts'
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
const adoptedAtOnce = 500
/** Servers of a version before the chain may still run beside the first of this one, and write entries that are no part of it. */
const adoptionMs = 24 * 60 * 60 * 1_000

export type AuditDeps = Pick<Deps, 'secrets' | 'randomBytes' | 'now'>

export type Act = { businessId: string; action: AuditAction; subjectId: string; details?: JsonObject }

/** An unlocked key of the chains. `begunAt` is part of what is sealed, so it can not be set back. */
export type AuditKey = { id: number; key: KeyObject; begunAt: number }

/** Comes last in a transaction: whoever has the chain waits for no other, and nothing deadlocks. */
export async function appendAudit(deps: AuditDeps, tx: Tx, by: Actor, act: Act): Promise<void> {
  const { businessId } = act
  const { keys, key, adoptsUntil } = await chainKeys(deps, tx)
  const { head, now } = await store.lockChain(tx, businessId)
  const isOpen = now.getTime() < adoptsUntil
  // A chain begins with its business. Where a head is gone or altered, so may entries be: no later one may hide that.
  const isSound = head
    ? isSigned(keys.get(head.keyId), headText(head), head.signature)
    : isOpen || act.action === 'customer.created'
  const last = await adopt(tx, key, head ?? emptyHead(businessId, key), isOpen)
  const entry: AuditEntry = {
    businessId,
    number: last.number + 1,
    actor: by.name,
    action: act.action,
    subjectId: act.subjectId,
    details: act.details ?? {},
    requestId: by.requestId,
    createdAt: now,
  }
  const hash = codeOf(key, entryText(entry, key.id, last.hash))
  await store.insertEntry(tx, entry, { keyId: key.id, hash })
  await saveHead(tx, key, { businessId, number: entry.number, hash, keyId: key.id }, isSound)
}

function emptyHead(businessId: string, { id: keyId }: AuditKey): AuditHead {
  return { businessId, number: 0, hash: noHash, keyId }
}

/**
 * Takes what follows the head and is no part of the chain into it. Once that time is over such an entry is not ours: it
 * stays as it is, for `verify` to name, and the chain goes on behind it.
 */
async function adopt(tx: Tx, key: AuditKey, head: AuditHead, isOpen: boolean): Promise<AuditHead> {
  let last = head
  for (;;) {
    const rows = await store.listEntriesAfter(tx, head.businessId, last.number, adoptedAtOnce)
    for (const row of rows) {
      if (row.hash === null && isOpen) {
        const hash = codeOf(key, entryText(row, key.id, last.hash))
        await store.chainEntry(tx, row, { keyId: key.id, hash })
        last = { ...last, number: row.number, hash, keyId: key.id }
      } else last = { ...last, number: row.number, hash: row.hash ?? last.hash }
    }
    if (rows.length < adoptedAtOnce) return last
  }
}

/** Begins the chains that have not begun, and takes in what an earlier version wrote. Repeating it changes nothing. */
export async function chainOlderEntries(deps: AuditDeps & Pick<Deps, 'db'>): Promise<void> {
  const { adoptsUntil } = await deps.db.transaction((tx) => chainKeys(deps, tx))
  if (deps.now() >= adoptsUntil) return
  await beginChain(deps, deploymentChain)
  for (let seen = new Set<string>(); ; ) {
    const ids = await deps.db.read((query) => store.listUnchained(query, 100))
    // One that stands before its chain's head can not be taken in: it is not ours.
    if (ids.every((id) => seen.has(id))) return
    for (const id of ids) await beginChain(deps, id)
    seen = new Set(ids)
  }
}

async function beginChain(deps: AuditDeps & Pick<Deps, 'db'>, businessId: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { keys, key } = await chainKeys(deps, tx)
    const { head } = await store.lockChain(tx, businessId)
    const isSound = !head || isSigned(keys.get(head.keyId), headText(head), head.signature)
    const last = await adopt(tx, key, head ?? emptyHead(businessId, key), true)
    if (!head || last.number > head.number) await saveHead(tx, key, { ...last, keyId: key.id }, isSound)
  })
}

async function saveHead(tx: Tx, key: AuditKey, head: AuditHead, isSound: boolean): Promise<void> {
  await store.saveHead(tx, { ...head, signature: isSound ? codeOf(key, headText(head)) : noHash })
}

/** A key under the newest deployment secret, and every head signed with it: what an older secret opens signs nothing any more. */
export async function renewAuditKey(deps: AuditDeps & Pick<Deps, 'db'>): Promise<void> {
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
        if (!head || head.keyId >= key.id) return
        const isSound = isSigned(keys.get(head.keyId), headText(head), head.signature)
        await saveHead(tx, key, { ...head, keyId: key.id }, isSound)
      })
    }
  }
}

/** Every key of the chains, by its id. @throws Error when no deployment secret opens one */
export async function auditKeys(deps: Pick<Deps, 'secrets'>, query: Query): Promise<Map<number, AuditKey>> {
  const rows = await store.listAuditKeys(query)
  return new Map(rows.map((row) => [row.id, openKey(deps, row)]))
}

type ChainKeys = { keys: ReadonlyMap<number, AuditKey>; key: AuditKey; adoptsUntil: number }

/** The newest writes, all verify. The first use makes one. */
async function chainKeys(deps: AuditDeps, tx: Tx): Promise<ChainKeys> {
  let keys = await auditKeys(deps, tx)
  if (keys.size === 0) {
    await store.lockKeys(tx)
    keys = await auditKeys(deps, tx) // another server may have been quicker
    if (keys.size === 0) keys = new Map([[1, await makeKey(deps, tx, 1)]])
  }
  const all = [...keys.values()]
  const [first, key] = [all[0], all.at(-1)]
  if (!first || !key) throw new Error('there is no key of the audit log')
  return { keys, key, adoptsUntil: first.begunAt + adoptionMs }
}

async function makeKey(deps: AuditDeps, tx: Tx, id: number): Promise<AuditKey> {
  const text = JSON.stringify({ key: deps.randomBytes(keyBytes).toString('base64'), begunAt: deps.now() })
  const row = { id, sealed: deps.secrets.seal(text, auditKeyContext(id)) }
  await store.saveAuditKey(tx, row)
  return openKey(deps, row)
}

function openKey(deps: Pick<Deps, 'secrets'>, { id, sealed }: store.AuditKeyRow): AuditKey {
  const held: unknown = JSON.parse(deps.secrets.open(sealed, auditKeyContext(id)))
  if (!isJsonObject(held) || typeof held['key'] !== 'string' || typeof held['begunAt'] !== 'number')
    throw new Error(`key ${id} of the audit log is not one`)
  return { id, key: createSecretKey(Buffer.from(held['key'], 'base64')), begunAt: held['begunAt'] }
}

export function auditKeyContext(id: number): string {
  return `audit key ${id}`
}

function codeOf({ key }: AuditKey, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

export function isSigned(key: AuditKey | undefined, text: string, code: Buffer): boolean {
  if (key === undefined) return false
  const expected = codeOf(key, text)
  return expected.length === code.length && timingSafeEqual(expected, code)
}
