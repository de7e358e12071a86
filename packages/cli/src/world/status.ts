// `causeway status`: the URLs and keys of the local environment that runs in this folder, for a person, a program or a shell.

import { type CommandBody, UsageError } from '../command.ts'
import { homeOf } from '../deployment.ts'
import { type Env, readState } from '../local-state.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson } from '../output/safe-text.ts'
import { show } from '../output/show.ts'
import { findRunning } from '../running-world.ts'

const formats = ['env', 'json']

/** The names that the command line, the SDK examples and the documentation read. */
const variables = {
  CAUSEWAY_URL: 'url',
  CAUSEWAY_API_KEY: 'apiKey',
  CAUSEWAY_ADMIN_SECRET: 'adminSecret',
  CAUSEWAY_CONSOLE_URL: 'consoleUrl',
  CAUSEWAY_DOCS_URL: 'docsUrl',
  CAUSEWAY_SANDBOX_URL: 'sandboxUrl',
} as const

export const showStatus: CommandBody = async (context) => {
  const { env, flags, terminal } = context
  const format = flags['output']
  if (format !== undefined && !formats.includes(String(format)))
    throw new UsageError(`--output takes one of ${formats.join(', ')}`)
  const status = await statusOf(env)
  if (format === 'env') terminal.print(exportsOf(status))
  else if (format === 'json') terminal.print(safeJson(status, 2))
  else show(context, status)
  return exitCodes.done
}

type Status = Readonly<Record<(typeof variables)[keyof typeof variables] | 'customerId' | 'dataFolder', string>>

async function statusOf(env: Env): Promise<Status> {
  const home = homeOf(env)
  const [running, facts] = [await findRunning(home), await readState(home, 'dev.json')]
  if (running === null || facts === null)
    throw new Error('No local environment runs in this folder. Start one with `npm start`.')
  const { baseUrl: url, apiKey, adminSecret, consoleUrl, customerId, providerUrl } = facts
  return {
    url: String(url),
    docsUrl: `${url}/docs/`,
    consoleUrl: String(consoleUrl),
    sandboxUrl: new URL(String(providerUrl)).origin,
    apiKey: String(apiKey),
    adminSecret: String(adminSecret),
    customerId: String(customerId),
    dataFolder: home,
  }
}

/** @returns lines for `eval`, quoted for every POSIX shell */
const exportsOf = (status: Status): string =>
  Object.entries(variables)
    .map(([name, member]) => `export ${name}='${status[member].replaceAll("'", `'\\''`)}'`)
    .join('\n')
