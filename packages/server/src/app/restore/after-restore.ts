// Prepares a restored backup for the first start of a server: the database lacks everything that was assigned and done
// since the backup, and must not repeat it.

import { deploymentChain } from '../../audit/audit.rules.ts'
import { appendAudit } from '../../audit/log.ts'
import { endApiKey } from '../../businesses/store.ts'
import type { Core } from '../../platform/core.ts'
import { operator } from '../../platform/http/caller.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import { timeOfId } from '../../platform/values/ids.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import { takeLanesFromDead } from '../../webhooks/delivery/lanes.store.ts'
import * as store from './after-restore.store.ts'

/**
 * 100 events a second for a day, the age of a nightly dump, and the same again for events that are counted more than
 * once.
 */
export const skipDefault = 20_000_000

const pageRows = 500

export type RestoreOptions = {
  /** The increment of positions and sequence numbers: more than can have been assigned since the backup. */
  skip: number
  /** Revokes every API key, because a key that was revoked since the backup works again. */
  endKeys: boolean
  /** How long this process has run, in seconds: an older session belongs to another process. */
  uptimeSeconds: number
}

/**
 * Prepares a restored database for the first start. A second run does no harm, and advances the numbers again.
 * @throws Error if a server runs on the database
 */
export async function afterRestore(deps: Core, { skip, endKeys, uptimeSeconds }: RestoreOptions) {
  const sessions = await deps.db.read((query) => store.countOlderSessions(query, uptimeSeconds))
  if (sessions > 0)
    throw new Error(
      `Servers are running on this database: they have ${sessions} open sessions. Stop every server, and run this command before the first one starts.`,
    )
  const newest = await deps.db.read(store.readNewestTime)
  const missingSince = Math.max(newest.eventId === null ? 0 : timeOfId(newest.eventId), newest.actAt?.getTime() ?? 0)
  const done = await deps.db.transaction(async (tx) => {
    const destinationsPostponed = await store.postponeDestinations(tx, deps.config.destinationChangeDelayMinutes)
    const changesDropped = await store.dropOpenChanges(tx)
    const moved = await store.skipNumbers(tx, skip)
    await takeLanesFromDead(tx) // no server runs, so every holder is dead
    const ended = await store.endConsoleAccess(tx)
    const onboardingLinks = await store.endOnboardingLinks(tx)
    await store.requestReconciliation(tx)
    return { moved, ended, onboardingLinks, destinationsPostponed, changesDropped }
  })
  const details = { missingSince: new Date(missingSince).toISOString(), skipped: skip, keysEnded: endKeys }
  const keysEnded = await endBusinesses(deps, details, endKeys)
  await deps.db.transaction((tx) => audit(deps, tx, deploymentChain, details))
  return {
    /** Data after this time is missing, as far as the database shows. */
    missingSince: details.missingSince,
    skipped: { by: skip, ...done.moved },
    consoleEnded: done.ended,
    onboardingLinksEnded: done.onboardingLinks,
    destinationsPostponed: done.destinationsPostponed,
    changesDropped: done.changesDropped.map(({ businessId: customerId, ...change }) => ({ customerId, ...change })),
    apiKeys: { ended: keysEnded, alive: await deps.db.read(store.countLiveKeys) },
  }
}

/** Writes an audit entry for every business, and revokes its keys if requested. @returns how many keys were revoked */
async function endBusinesses(deps: Core, details: JsonObject, endKeys: boolean): Promise<number> {
  let ended = 0
  for (let after = ''; ; ) {
    const page = await deps.db.read((query) => store.listBusinessIds(query, after, pageRows))
    for (const businessId of page) {
      await deps.db.transaction(async (tx) => {
        const keys = endKeys ? await store.listLiveKeys(tx, businessId) : []
        willLock(tx, 'apiKey')
        for (const id of keys) await endApiKey(tx, businessId, id, null)
        ended += keys.length
        await audit(deps, tx, businessId, details)
      })
    }
    after = page.at(-1) ?? ''
    if (page.length < pageRows) return ended
  }
}

async function audit(deps: Core, tx: Parameters<typeof appendAudit>[1], businessId: string, details: JsonObject) {
  await appendAudit(deps, tx, operator, { businessId, action: 'database.restored', subjectId: businessId, details })
}
