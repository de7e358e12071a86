// The product's server in a process of its own: the whole service, or its HTTP edge with the intake alone, without loops
// that would compete for the core that is measured; and on the same server a POST that does nothing.

import { Type } from 'typebox'
import { createApp } from '../../../../server/src/app/http-server.ts'
import { createDeps, startServer } from '../../../../server/src/main.ts'
import type { App } from '../../../../server/src/platform/http/app.ts'
import { rawBodyOf } from '../../../../server/src/platform/http/body/json-body.ts'
import { dataOf } from '../../../../server/src/platform/http/schema/schema.ts'
import { createLog } from '../../../../server/src/platform/observe/log.ts'
import { openDatabase } from '../../../../server/src/platform/postgres/db.ts'
import { productConfig, type Target } from '../product.ts'
import { answerCalls } from './remote.ts'

export const noopPath = '/v0/bench/noop'

let close = async (): Promise<void> => {}

const calls = {
  async serve(target: Target): Promise<string> {
    const config = productConfig(target)
    const server = await startServer(config, createLog(config.logLevel), target.connection)
    close = server.stop
    return server.url
  },

  /** Takes events in; delivers nothing. */
  async serveIntake(target: Target): Promise<string> {
    const config = productConfig(target)
    const log = createLog(config.logLevel)
    const db = openDatabase(target.connection, { poolMax: config.databasePoolMax })
    const deps = createDeps(config, log, db)
    const app = await createApp(deps, { beforeRoutes: addNoop })
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

/** Same hooks, same reading of the body, same shape of answer, same serialisation as the real one. */
function addNoop(app: App): void {
  const answer = Type.Object({ received: Type.Boolean(), event_id: Type.String(), message: Type.String() })
  app.post(
    noopPath,
    { config: { auth: 'none', rawBody: true }, schema: { hide: true, response: { 200: dataOf(answer) } } },
    async (request) => ({
      data: {
        received: rawBodyOf(request).length > 0,
        event_id: 'wh_0000000000000000',
        message: 'Event received and queued for forwarding.',
      },
    }),
  )
}

answerCalls(calls, () => close())
