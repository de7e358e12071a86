// Moves what is stored from older deployment secrets to the newest, while servers run, until the older ones can be dropped.
// Every step finds what is done already, so a run that was cut off is simply run again.

import { deploymentChain } from '../../audit/audit.rules.ts'
import { appendAudit, auditKeyContext, renewAuditKey } from '../../audit/log.ts'
import { listAuditKeys, saveAuditKey } from '../../audit/store.ts'
import { operator } from '../../platform/http/caller.ts'
import { responseContext } from '../../platform/http/idempotency/service.ts'
import { countOtherWriters, listNeededKeyIds, retireKeyIds } from '../../platform/secrets/deployment-secrets.store.ts'
import type { Deps } from '../context.ts'
import * as store from './re-encryption.store.ts'

const pageRows = 500
const keysShownMax = 100

export type RotationReport = {
  /** The secret that everything is under now, or will be, by its mark. */
  mark: string
  /** Values sealed anew by this run. */
  resealed: { webhookEndpoints: number; events: number; responses: number; auditKeys: number }
  /** What still needs an older secret. */
  left: {
    /** Servers that still write with one; those that died count for three minutes. */
    servers: number
    /** API keys not used since: each moves when it is next used. The first hundred. */
    apiKeys: { customerId: string; id: string; lastUsedAt: Date | null }[]
    /** Answers kept for repeats of a request; they run out by themselves. */
    answers: number
    answersUntil: Date | null
  }
  /** Marks of secrets that nothing needs any more: they can be dropped from DEPLOYMENT_SECRET. */
  dropped: string[]
  done: boolean
}

/**
 * @param isNow does not wait: keys that were not used since are revoked, answers kept for repeats forgotten
 * @throws Error when a stored value cannot be opened with any of the secrets given
 */
export async function rotateSecrets(
  deps: Deps,
  isNow: boolean,
  say: (line: string) => void = () => {},
): Promise<RotationReport> {
  const keyId = deps.secrets.keyIds[0] ?? ''
  // Before anything is walked through: whoever writes with an older secret while we do may write behind us.
  const servers = await deps.db.read((query) => countOtherWriters(query, keyId))
  const auditKeys = await moveAuditKeys(deps)
  const webhookEndpoints = await moveWebhookSecrets(deps)
  say(`${webhookEndpoints} webhook endpoints sealed anew`)
  const events = await moveEvents(deps, say)
  const responses = await moveResponses(deps)
  say(`${responses} answers of receivers sealed anew`)
  const answers = await lookAtAnswers(deps, isNow)
  if (isNow) await revokeOlderKeys(deps, keyId)
  const apiKeys = await deps.db.read((query) => store.listOlderKeys(query, keyId, keysShownMax))
  const done = servers === 0 && apiKeys.length === 0 && answers.count === 0
  return {
    mark: keyId,
    resealed: { webhookEndpoints, events, responses, auditKeys },
    left: {
      servers,
      apiKeys: apiKeys.map(({ businessId, id, lastUsedAt }) => ({ customerId: businessId, id, lastUsedAt })),
      answers: answers.count,
      answersUntil: answers.until,
    },
    dropped: done ? await dropOlder(deps, keyId) : [],
    done,
  }
}

async function dropOlder(deps: Deps, keyId: string): Promise<string[]> {
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

/** A new key signs from now on: whoever knows the older secret can read the older keys, and sign nothing with them. */
async function moveAuditKeys(deps: Deps): Promise<number> {
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

async function moveWebhookSecrets(deps: Deps): Promise<number> {
  let moved = 0
  let after = { businessId: '', id: '' }
  for (;;) {
    const rows = await deps.db.read((query) => store.listSealedSecrets(query, after, pageRows))
    const changes = rows.flatMap((row) => {
      const { businessId, secretSealed, previousSecretSealed } = row
      const secret = deps.secrets.reseal(secretSealed, businessId)
      const previous = previousSecretSealed && deps.secrets.reseal(previousSecretSealed, businessId)
      if (!secret && !previous) return []
      const now = {
        ...row,
        secretSealed: secret ?? secretSealed,
        previousSecretSealed: previous ?? previousSecretSealed,
      }
      return [{ row, now }]
    })
    await deps.db.transaction(async (tx) => {
      for (const { row, now } of changes) await store.replaceSecrets(tx, row, now)
    })
    moved += changes.length
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return moved
    after = last
  }
}

async function moveEvents(deps: Deps, say: (line: string) => void): Promise<number> {
  let moved = 0
  let seen = 0
  let after = ''
  for (;;) {
    const rows = await deps.db.read((query) => store.listSealedBodies(query, after, pageRows))
    const changes = rows.flatMap(({ id, body: old }) => {
      const body = old && deps.secrets.reseal(old, id)
      return old && body ? [{ id, old, body }] : []
    })
    if (changes.length > 0) await deps.db.transaction((tx) => store.replaceBodies(tx, changes))
    moved += changes.length
    seen += rows.length
    if (seen % (100 * pageRows) === 0) say(`${seen} events looked at, ${moved} sealed anew`)
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) break
    after = last.id
  }
  say(`${seen} events looked at, ${moved} sealed anew`)
  return moved
}

async function moveResponses(deps: Deps): Promise<number> {
  let moved = 0
  for (const table of store.responseTables) moved += await moveResponsesOf(deps, table)
  return moved
}

async function moveResponsesOf(deps: Deps, table: store.ResponseTable): Promise<number> {
  let moved = 0
  let after = { deliveryId: '', attempt: 0 }
  for (;;) {
    const rows = await deps.db.read((query) => store.listSealedResponses(query, table, after, pageRows))
    const changes = rows.flatMap((row) => {
      const sealed = deps.secrets.reseal(row.sealed, row.deliveryId)
      return sealed === null ? [] : [{ ...row, old: row.sealed, sealed }]
    })
    if (changes.length > 0) await deps.db.transaction((tx) => store.replaceResponses(tx, table, changes))
    moved += changes.length
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return moved
    after = last
  }
}

/**
 * They are not sealed anew: the fingerprint of the request beside each cannot be, and without that a repeat would be told
 * that it is another request.
 */
async function lookAtAnswers(deps: Deps, isNow: boolean): Promise<{ count: number; until: Date | null }> {
  let count = 0
  let until: Date | null = null
  let after = { businessId: '', operation: '', key: '' }
  for (;;) {
    const rows = await deps.db.read((query) => store.listSealedAnswers(query, after, pageRows))
    const older = rows.filter((row) => deps.secrets.reseal(row.response, responseContext(row)) !== null)
    if (isNow)
      await deps.db.transaction(async (tx) => {
        for (const row of older) await store.forgetAnswer(tx, row)
      })
    else count += older.length
    for (const { expiresAt } of isNow ? [] : older) if (until === null || expiresAt > until) until = expiresAt
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return { count, until }
    after = last
  }
}

async function revokeOlderKeys(deps: Deps, keyId: string): Promise<void> {
  for (;;) {
    const keys = await deps.db.read((query) => store.listOlderKeys(query, keyId, pageRows))
    if (keys.length === 0) return
    for (const key of keys) {
      await deps.db.transaction(async (tx) => {
        if (!(await store.revokeOlderKey(tx, key, keyId))) return // used just now
        const { businessId, id } = key
        const details = { reason: 'It was not used since the deployment secret changed.' }
        await appendAudit(deps, tx, operator, { businessId, action: 'api_key.revoked', subjectId: id, details })
      })
    }
  }
}
