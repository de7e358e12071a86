// Runs an operator's command: over HTTP where a server can do it, else on the database of the deployment.

import { Causeway } from '../../../sdk/src/index.ts'
import { openStore } from '../../../server/src/app/open-store.ts'
import { createDeps } from '../../../server/src/main.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import { requireDeploymentSecrets } from '../../../server/src/platform/secrets/deployment-secrets.ts'
import { requireProvider } from '../../../server/src/provider/connection/kind.ts'
import type { Context } from '../command.ts'
import { findDeployment, findServer } from '../deployment.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { show } from '../output/show.ts'
import { noValues, type Operation, type Values } from './operation.ts'
import { operations } from './operations.ts'

/** @returns the exit code: whether a script may go on */
export async function runOperatorCommand(name: string, context: Context): Promise<number> {
  const operation = operations[name]
  if (!operation) throw new Error(`no such command: ${name}`)
  const given = Object.entries(context.flags).map(([flag, value]) => [flag, String(value)])
  const values: Values = { ...noValues, ...Object.fromEntries(given) }
  const answer = await answerOf(operation, values, context)
  show(context, answer)
  return operation.isBad?.(answer) ? exitCodes.refused : exitCodes.done
}

async function answerOf(operation: Operation, values: Values, { env, terminal }: Context): Promise<unknown> {
  const server = operation.overHttp ? await findServer(env) : null
  if (server && operation.overHttp)
    return await operation.overHttp(new Causeway({ baseUrl: server.baseUrl, apiKey: server.adminSecret }), values)
  const { config, connection } = await findDeployment(env)
  const log = createLog('warn')
  const store = await openStore(config, log, connection ?? undefined)
  const deps = createDeps(config, log, store.db)
  try {
    await requireProvider(deps)
    await requireDeploymentSecrets(deps)
    return await operation.run(deps, values, terminal)
  } finally {
    await deps.provider.close()
    await store.close()
  }
}
