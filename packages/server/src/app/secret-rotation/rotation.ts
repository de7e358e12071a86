// Re-encrypts stored data with the newest deployment secret while servers run, until the older secrets can be removed.
// Every step skips what is already done, so an interrupted run can be repeated.

import { deploymentChain } from '../../audit/audit.rules.ts'
import { appendAudit, auditKeyContext, renewAuditKey } from '../../audit/log.ts'
import { listAuditKeys, saveAuditKey } from '../../audit/store.ts'
import type { Core } from '../../platform/core.ts'
import { operator } from '../../platform/http/caller.ts'
import { responseContext } from '../../platform/http/idempotency/service.ts'
import { countOtherWriters, listNeededKeyIds, retireKeyIds } from '../../platform/secrets/deployment-secrets.store.ts'
import * as store from './re-encryption.store.ts'

const keysShownMax = 100

/**
 * Encrypts all stored data with the newest secret, and reports which older ones are no longer needed.
 * @param isNow does not wait: revokes keys that were not used since, and deletes stored idempotent responses
 * @throws Error if a stored value cannot be decrypted with any of the given secrets
 */
export async function rotateSecrets(deps: Core, isNow: boolean, say: (line: string) => void = () => {}) {
  const keyId = deps.secrets.keyIds[0] ?? ''
  // Counted first: a server with an older secret may write after this run.
  const servers = await deps.db.read((query) => countOtherWriters(query, keyId))
  const auditKeys = await moveAuditKeys(deps)
  const resealed = {
    webhookEndpoints: 0,
    signIns: 0,
    alertChannels: 0,
    events: 0,
    responses: 0,
    sessions: 0,
    auditKeys,
  }
  for (const column of store.sealedColumns) {
    const moved = await moveColumn(deps, column, say)
    resealed[column.kind] += moved
    say(`${moved} values of ${column.table}.${column.column} re-encrypted`)
  }
  const answers = await checkAnswers(deps, isNow)
  if (isNow) await revokeOlderKeys(deps, keyId)
  const apiKeys = await deps.db.read((query) => store.listOlderKeys(query, keyId, keysShownMax))
  const done = servers === 0 && apiKeys.length === 0 && answers.count === 0
  return {
    /** The newest secret. */
    mark: keyId,
    /** Values re-encrypted by this run. */
    resealed,
    /**
     * What still needs an older secret: servers that write with one, API keys not used since, stored idempotent
     * responses.
     */
    left: {
      servers,
      apiKeys: apiKeys.map(({ businessId, id, lastUsedAt }) => ({ customerId: businessId, id, lastUsedAt })),
      answers: answers.count,
      answersUntil: answers.until,
    },
    /** Key IDs of secrets that are no longer needed: remove them from DEPLOYMENT_SECRET. */
    dropped: done ? await dropOlder(deps, keyId) : [],
    done,
  }
}

async function dropOlder(deps: Core, keyId: string): Promise<string[]> {
  return await deps.db.transaction(async (tx) => {
    const older = (await listNeededKeyIds(tx)).filter((known) => known !== keyId)
    if (older.length === 0) return []
    await retireKeyIds(tx, older)
    const details = { dropped: older }
    const action = 'deployment_secret.rotated'
    await appendAudit(deps, tx, operator, { businessId: deploymentChain, action, subjectId: keyId, details })
    return older
  })
}

/** A new key signs from now on: someone who knows the older secret can read the older keys, but not sign with them. */
async function moveAuditKeys(deps: Core): Promise<number> {
  const older = (rows: Awaited<ReturnType<typeof listAuditKeys>>) =>
    rows.filter(({ id, sealed }) => deps.secrets.reseal(sealed, auditKeyContext(id)) !== null)
  const before = older(await deps.db.read(listAuditKeys))
  if (before.length === 0) return 0
  await renewAuditKey(deps)
  await deps.db.transaction(async (tx) => {
    for (const { id, sealed } of older(await listAuditKeys(tx))) {
      const resealed = deps.secrets.reseal(sealed, auditKeyContext(id))
      if (resealed) await saveAuditKey(tx, { id, sealed: resealed })
    }
  })
  return before.length
}

/** Encrypts the values of a column with the newest secret. @returns how many */
async function moveColumn(deps: Core, column: store.SealedColumn, say: (line: string) => void): Promise<number> {
  let [seen, moved, after] = [0, 0, '']
  for (;;) {
    const rows = await deps.db.read((query) => store.listSealedValues(query, column, after))
    const changes = rows.flatMap((old) => {
      const sealed = old.sealed && deps.secrets.reseal(old.sealed, old.context)
      return sealed ? [{ old, sealed }] : []
    })
    // In the order of their keys, which is also the lock order of deleting an end-user.
    if (changes.length > 0)
      await deps.db.transaction((tx) =>
        Promise.all(changes.map(({ old, sealed }) => store.replaceValue(tx, column, old, sealed))),
      )
    const pages = (rows: number) => Math.floor(rows / (100 * store.pageRows))
    if (pages(seen) < pages(seen + rows.length)) say(`${seen + rows.length} ${column.table} checked`)
    seen += rows.length
    moved += changes.length
    const last = rows.at(-1)
    if (!last || rows.length < store.pageRows) return moved
    after = last.key
  }
}

/**
 * Counts the stored responses that need an older secret, or deletes them. They cannot be re-encrypted: the fingerprint
 * of the request next to each would not match, and a retry would fail as a different request.
 */
async function checkAnswers(deps: Core, isNow: boolean): Promise<{ count: number; until: Date | null }> {
  const needing: Date[] = []
  let after = { businessId: '', operation: '', key: '' }
  for (;;) {
    const rows = await deps.db.read((query) => store.listSealedAnswers(query, after))
    const older = rows.filter((row) => deps.secrets.reseal(row.response, responseContext(row)) !== null)
    if (isNow) await deps.db.transaction((tx) => Promise.all(older.map((row) => store.forgetAnswer(tx, row))))
    else needing.push(...older.map(({ expiresAt }) => expiresAt))
    const last = rows.at(-1)
    if (!last || rows.length < store.pageRows) break
    after = last
  }
  const until = needing.reduce<Date | null>((latest, at) => (latest && latest > at ? latest : at), null)
  return { count: needing.length, until }
}

async function revokeOlderKeys(deps: Core, keyId: string): Promise<void> {
  for (;;) {
    const keys = await deps.db.read((query) => store.listOlderKeys(query, keyId, store.pageRows))
    if (keys.length === 0) return
    for (const key of keys) {
      await deps.db.transaction(async (tx) => {
        if (!(await store.revokeOlderKey(tx, key, keyId))) return // used just now
        const { businessId, id } = key
        const details = { reason: 'The key was not used since the deployment secret changed.' }
        await appendAudit(deps, tx, operator, { businessId, action: 'api_key.revoked', subjectId: id, details })
      })
    }
  }
}
