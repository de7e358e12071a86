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
import { setWebhookUrl } from '../services/webhook-url.ts'
import { listAudit } from '../store/audit-log.ts'

type Flag = 'name' | 'customer' | 'url'
export type Flags = Readonly<Partial<Record<Flag, string | undefined>>>

/** The needed flags are there when it runs. */
type Command = {
  needed: readonly Flag[]
  optional?: readonly Flag[]
  run(deps: Deps, flags: Readonly<Record<Flag, string>>): Promise<unknown>
}

const firstPage = { limit: 100, after: null }

const commands: Readonly<Record<string, Command>> = {
  migrate: { needed: [], run: async () => ({ schema: 'up to date' }) }, // opening the store has done it
  'customer create': { needed: ['name'], run: (deps, { name }) => createBusiness(deps, { name }) },
  'customer list': {
    needed: [],
    run: async (deps) => (await listAllBusinesses(deps, firstPage)).items.map(businessView),
  },
  'customer suspend': {
    needed: ['customer'],
    run: (deps, { customer }) => changeAnyBusiness(deps, customer, { status: 'suspended' }),
  },
  'customer activate': {
    needed: ['customer'],
    run: (deps, { customer }) => changeAnyBusiness(deps, customer, { status: 'active' }),
  },
  'customer webhook-url': {
    needed: ['customer', 'url'],
    run: (deps, { customer, url }) => setWebhookUrl(deps, customer, url),
  },
  'key issue': {
    needed: ['customer'],
    optional: ['name'],
    run: (deps, { customer, name }) => issueApiKey(deps, customer, name ? { name } : {}),
  },
  'key list': {
    needed: ['customer'],
    run: async (deps, { customer }) => (await listApiKeys(deps, customer, firstPage)).items.map(apiKeyView),
  },
  'audit list': {
    needed: ['customer'],
    run: (deps, { customer }) => deps.db.read((query) => listAudit(query, customer, firstPage)),
  },
  'provider connect': { needed: ['url'], run: (deps, { url }) => connectProvider(deps, url) },
}

export function isOperatorCommand(name: string): boolean {
  return Object.hasOwn(commands, name)
}

export function operatorFlags(name: string): { needed: readonly string[]; optional: readonly string[] } {
  const { needed = [], optional = [] } = commands[name] ?? {}
  return { needed, optional }
}

/** Runs one command against the configured database and prints its answer as JSON. */
export async function runOperatorCommand(name: string, flags: Flags, config: Config): Promise<void> {
  const command = commands[name]
  if (!command) throw new Error(`no such command: ${name}`)
  const log = createLog('warn')
  const store = await openStore(config, log)
  const deps = createDeps(config, log, store.db)
  try {
    const { name: given = '', customer = '', url = '' } = flags
    console.log(JSON.stringify(await command.run(deps, { name: given, customer, url }), null, 2))
  } finally {
    await deps.provider.close()
    await store.close()
  }
}
