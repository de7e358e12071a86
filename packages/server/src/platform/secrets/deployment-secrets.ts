// Says at the start whether the deployment secrets given are enough for what is stored, and which one this server writes
// with, so that nobody drops one that is needed.

import type { Deps } from '../../app/context.ts'
import type { Tx } from '../postgres/query.ts'
import * as store from './deployment-secrets.store.ts'

/** Three times as long as the wait between two notices. */
const writerSeconds = 180

type SecretDeps = Pick<Deps, 'db' | 'secrets' | 'instanceId'>

/**
 * Notes the secrets given, and the server that is going to write with the newest of them.
 * @returns what is wrong with them, as lines for the operator; nothing is noted then
 */
export async function secretProblems(deps: Pick<Deps, 'db' | 'secrets'>, writer?: string): Promise<string[]> {
  const { keyIds } = deps.secrets
  return await deps.db.transaction(async (tx) => {
    const missing = (await store.listNeededKeyIds(tx)).filter((keyId) => !keyIds.includes(keyId))
    if (missing.length === 0) {
      await store.noteKeyIds(tx, keyIds)
      if (writer !== undefined) await noteWriterIn(tx, deps, writer)
    }
    return missing.map(
      (keyId) =>
        `DEPLOYMENT_SECRET lacks a secret that stored values still need (its mark is ${keyId}): put it back behind the newest, and drop it once "causeway secrets rotate" says so`,
    )
  })
}

/** Repeated while the server runs. */
export async function noteWriter(deps: SecretDeps): Promise<void> {
  await deps.db.transaction((tx) => noteWriterIn(tx, deps, deps.instanceId))
}

async function noteWriterIn(tx: Tx, { secrets }: Pick<Deps, 'secrets'>, writer: string): Promise<void> {
  await store.noteWriter(tx, writer, secrets.keyIds[0] ?? '', writerSeconds)
}

export async function endWriter(deps: SecretDeps): Promise<void> {
  await deps.db.transaction((tx) => store.endWriter(tx, deps.instanceId))
}
