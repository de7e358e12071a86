// Works on the database of the environment without a running server: with its stores, or through the API.

import { randomBytes } from 'node:crypto'
import { createApp } from '../../../server/src/app/http-server.ts'
import { openStore } from '../../../server/src/app/open-store.ts'
import type { Running } from '../../../server/src/app/services.ts'
import { createDeps } from '../../../server/src/main.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import { requireDeploymentSecrets } from '../../../server/src/platform/secrets/deployment-secrets.ts'
import { requireProvider } from '../../../server/src/provider/connection/kind.ts'
import { findDeployment, type Server } from '../deployment.ts'
import type { Env } from '../local-state.ts'

/** Opens the deployment of the environment, and closes it after the work. */
export async function onDatabase<Result>(env: Env, work: (deps: Running) => Promise<Result>): Promise<Result> {
  const { config, connection } = await findDeployment(env)
  const log = createLog('warn')
  const store = await openStore(config, log, connection ?? undefined)
  const deps = createDeps(config, log, store.db)
  try {
    await requireProvider(deps)
    await requireDeploymentSecrets(deps)
    return await work(deps)
  } finally {
    await deps.provider.close()
    await store.close()
  }
}

/** Serves the API on a free loopback port while `work` runs, so that requests are validated and audited as on any server. */
export const throughOwnServer = <Result>(env: Env, call: (server: Server) => Promise<Result>): Promise<Result> =>
  onDatabase(env, async (deps) => {
    const { publicUrl = `http://localhost:${deps.config.port}` } = deps.config // links in errors outlive this server
    const adminSecret = randomBytes(24).toString('base64url') // for this call alone
    const app = await createApp({ ...deps, config: { ...deps.config, publicUrl, adminSecret } })
    try {
      const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
      return await call({ baseUrl, adminSecret })
    } finally {
      await app.close()
    }
  })
