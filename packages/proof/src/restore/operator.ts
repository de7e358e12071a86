// The operator's commands on a database, as a process of their own.

import { runCli } from '../../../cli/test/process.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Fleet } from '../fleet/fleet.ts'

export type Told = { code: number | null; answer: unknown; stderr: string }

/** @returns what answers a command on this database with the settings of the fleet */
export function operatorOf({ deployment }: Pick<Fleet, 'deployment'>, connection: ConnectionOptions) {
  const { config } = deployment.deps
  const { host, port, username, password, database } = connection
  const env = {
    DATABASE_URL: `postgresql://${username}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    DEPLOYMENT_SECRET: config.deploymentSecrets.join(','),
    ADMIN_SECRET: config.adminSecret,
    PROVIDER_KIND: config.providerKind,
    PROVIDER_URL: config.providerUrl,
    PROVIDER_API_KEY: config.providerApiKey ?? '',
  }
  return async (...args: readonly string[]): Promise<Told> => {
    const { code, stdout, stderr } = await runCli(args, env)
    return { code, answer: stdout === '' ? null : JSON.parse(stdout), stderr }
  }
}

/** @throws Error when the command did not end with 0 */
export function answerOf({ code, answer, stderr }: Told): unknown {
  if (code !== 0) throw new Error(`a command of the operator ended with ${code}: ${stderr} ${JSON.stringify(answer)}`)
  return answer
}
