// A separate PostgreSQL whose log has the executed plan of each statement.

import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logOf } from '../../../embedded-postgres/src/cluster.ts'
import { forgetEmbedded, startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { locate } from '../../../embedded-postgres/src/place.ts'
import { type ConnectionOptions, openClient } from '../../../server/src/platform/postgres/client.ts'
import { changeCluster } from '../../../server/test/cluster-settings.ts'
import type { Plan } from '../../../server/test/query-plan.ts'

export type ExplainingServer = AsyncDisposable & {
  connection: ConnectionOptions
  /** The plans logged since the last call. */
  plans(): Promise<Plan[]>
}

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
}

export async function openDatabaseServer(): Promise<ExplainingServer> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-list-plans-'))
  const server = await startEmbedded({ home, durable: false })
  const log = logOf(locate(home))
  let readTo = 0
  const { query: admin, close } = await openClient(server.connection, { applicationName: 'list-plans' })
  await changeCluster(admin, server.connection, settings)
  await close()
  return {
    connection: server.connection,
    async plans() {
      const file = await open(log)
      const { size } = await file.stat()
      const text = Buffer.alloc(size - readTo)
      await file.read(text, 0, text.length, readTo)
      await file.close()
      readTo = size
      return [...text.toString('utf8').matchAll(/ plan:\n((?:\t.*\n)+)/g)].map(
        ([, plan = '']) => (JSON.parse(plan) as { Plan: Plan }).Plan,
      )
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await forgetEmbedded(home)
      await rm(home, { recursive: true, force: true })
    },
  }
}
