// Checks at the start that the deployment secrets given open all that is stored, and notes which one this server writes with, so
// that nobody drops a secret that is needed.

import { ConfigError } from '../config.ts'
import type { Core } from '../core.ts'
import * as store from './deployment-secrets.store.ts'

/** Three times as long as the wait between two renewals. */
const writerSeconds = 180

/**
 * Records the given deployment secrets, unless one is missing.
 * @param writer a server that is going to write with the newest of them
 * @throws ConfigError when what is stored needs a secret that is not given
 */
export async function requireDeploymentSecrets(
  { db, secrets, config }: Pick<Core, 'db' | 'secrets' | 'config'>,
  writer?: Process,
): Promise<void> {
  const missing = await db.transaction(async (tx) => {
    const needed = await store.listNeededKeyIds(tx)
    const missing = needed.filter((keyId) => !secrets.keyIds.includes(keyId))
    if (missing.length > 0) return missing
    await store.noteKeyIds(tx, secrets.keyIds)
    if (writer !== undefined) await store.noteWriter(tx, writerOf({ ...writer, secrets }), writerSeconds)
    return []
  })
  if (missing.length === 0) return
  const problems = missing.map(
    (keyId) =>
      `DEPLOYMENT_SECRET lacks a secret that stored values still need (key ID ${keyId}): add it again after the newest secret, and remove it when "causeway secrets rotate" says so`,
  )
  if (config.databaseUrl === undefined)
    problems.push(
      `CAUSEWAY_HOME (${config.home}) contains an embedded database that was created with that secret: restore its secrets.json, or reset the local environment with "npm start -- --reset"`,
    )
  throw new ConfigError(problems)
}

/** Which process this is of those that share the database, and what it does of the service. */
export type Process = { instanceId: string; role: 'all' | 'api' | 'relay' }

export type WriterDeps = Pick<Core, 'db' | 'secrets'> & Process

function writerOf({ secrets, instanceId, role }: Omit<WriterDeps, 'db'>): store.Writer {
  return { server: instanceId, keyId: secrets.keyIds[0] ?? '', role }
}

/** Renews the note that this server writes with the newest secret. */
export async function noteWriter({ db, ...writer }: WriterDeps): Promise<void> {
  await db.transaction((tx) => store.noteWriter(tx, writerOf(writer), writerSeconds))
}

/** Removes the note of this server: it has stopped. */
export async function endWriter({ db, instanceId }: Pick<WriterDeps, 'db' | 'instanceId'>): Promise<void> {
  await db.transaction((tx) => store.endWriter(tx, instanceId))
}
