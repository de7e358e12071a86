// What an operator does from the shell: schema, customers, keys, webhook URLs, and our endpoint at the provider.

import type { Config } from '../config.ts'
import { createDeps, openStore } from '../main.ts'
import { createLog } from '../observe/log.ts'
import {
  changeAnyBusiness,
  createBusiness,
  issueApiKey,
  listAllBusinesses,
  listApiKeys,
} from '../services/businesses.ts'
import type { Deps } from '../services/deps.ts'
import { connectProvider } from '../services/provider-connection.ts'
import { apiKeyView, businessView } from '../services/views.ts'
import { setWebhookUrl } from '../services/webhook-endpoints.ts'

export type Flags = Readonly<Record<string, string | undefined>>

/** What a person did wrong on the command line; the usage text follows. */
export class UsageError extends Error {}

type Command = (deps: Deps, flags: Flags) => Promise<unknown>

const commands: Readonly<Record<string, Command>> = {
  migrate: async () => ({ schema: 'up to date' }),
  'customer create': (deps, flags) => createBusiness(deps, { name: required(flags, 'name') }),
  'customer list': async (deps) => (await listAllBusinesses(deps, { limit: 100, after: null })).items.map(businessView),
  'customer suspend': (deps, flags) => changeAnyBusiness(deps, required(flags, 'customer'), { status: 'suspended' }),
  'customer activate': (deps, flags) => changeAnyBusiness(deps, required(flags, 'customer'), { status: 'active' }),
  'customer webhook-url': (deps, flags) => setWebhookUrl(deps, required(flags, 'customer'), required(flags, 'url')),
  'key issue': (deps, flags) =>
    issueApiKey(deps, required(flags, 'customer'), flags['name'] === undefined ? {} : { name: flags['name'] }),
  'key list': async (deps, flags) =>
    (await listApiKeys(deps, required(flags, 'customer'), { limit: 100, after: null })).items.map(apiKeyView),
  'provider connect': (deps, flags) => connectProvider(deps, required(flags, 'url')),
}

export function isOperatorCommand(name: string): boolean {
  return Object.hasOwn(commands, name)
}

/** Runs one command against the configured database and prints its answer as JSON. */
export async function runOperatorCommand(name: string, flags: Flags, config: Config): Promise<void> {
  const command = commands[name]
  if (!command) throw new UsageError(`unknown command: ${name}`)
  const log = createLog('warn')
  const store = await openStore(config, log)
  const deps = createDeps(config, log, store.db)
  try {
    console.log(JSON.stringify(await command(deps, flags), null, 2))
  } finally {
    await deps.provider.close()
    await store.close()
  }
}

function required(flags: Flags, name: string): string {
  const value = flags[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is needed`)
  return value
}
