// The product's server in a separate process: the whole service, or its HTTP edge without the loops, which would compete for the
// measured core.

import { createApp } from '../../../../server/src/app/http-server.ts'
import { createDeps, startServer } from '../../../../server/src/main.ts'
import { createLog } from '../../../../server/src/platform/observe/log.ts'
import { openDatabase } from '../../../../server/src/platform/postgres/db.ts'
import { productConfig, type Target } from '../product.ts'
import { answerCalls } from './remote.ts'

let close = async (): Promise<void> => {}

const calls = {
  async serve(target: Target): Promise<string> {
    const config = productConfig(target)
    const server = await startServer(config, createLog(config.logLevel), target.connection)
    close = server.stop
    return server.url
  },

  /** Serves requests, and delivers nothing. */
  async serveIntake(target: Target): Promise<string> {
    const config = productConfig(target)
    const log = createLog(config.logLevel)
    const db = openDatabase(target.connection, { poolMax: config.databasePoolMax })
    const deps = createDeps(config, log, db)
    const app = await createApp(deps)
    close = async () => {
      await app.close()
      await deps.provider.close()
      await db.close()
    }
    return await app.listen({ host: config.host, port: 0 })
  },

  /** Milliseconds of processor time this process has used. */
  cpuMs: async (): Promise<number> => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
}
export type ServerCalls = typeof calls

answerCalls(calls, () => close())
