// The operator's commands: schema, customers, API keys, webhook URLs, and our endpoint at the provider.

import { openStore } from '../../server/src/app/open-store.ts'
import { rotateSecrets } from '../../server/src/app/secret-rotation/rotation.ts'
import { apiKeyView, issueApiKey, listApiKeys } from '../../server/src/businesses/api-keys.ts'
import {
  businessView,
  changeAnyBusiness,
  createBusiness,
  listAllBusinesses,
} from '../../server/src/businesses/service.ts'
import { createDeps } from '../../server/src/main.ts'
import type { Config } from '../../server/src/platform/config.ts'
import { createLog } from '../../server/src/platform/observe/log.ts'
import { requireDeploymentSecrets } from '../../server/src/platform/secrets/deployment-secrets.ts'
import { isJsonObject } from '../../server/src/platform/values/json.ts'
import { connectProvider } from '../../server/src/provider/connection/connection.ts'
import { setWebhookUrl } from '../../server/src/webhooks/endpoints/webhook-url.ts'
import { auditCommands } from './audit.ts'
import { type Command, firstPage, type GivenFlags, noFlags, type Terminal } from './command.ts'

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
  ...auditCommands,
  'secrets rotate': {
    needed: [],
    optional: ['now', 'json'],
    run: (deps, { now }, { complain }) => rotateSecrets(deps, now === 'true', complain),
    isBad: (answer) => isJsonObject(answer) && answer['done'] !== true,
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

/**
 * Runs one command against the configured database and prints its answer as JSON.
 * @returns whether a script may go on
 */
export async function runOperatorCommand(
  name: string,
  flags: GivenFlags,
  config: Config,
  terminal: Terminal,
): Promise<boolean> {
  const command = commands[name]
  if (!command) throw new Error(`no such command: ${name}`)
  const log = createLog('warn')
  const store = await openStore(config, log)
  const deps = createDeps(config, log, store.db)
  try {
    await requireDeploymentSecrets(deps)
    const answer = await command.run(deps, { ...noFlags, ...flags }, terminal)
    terminal.print(JSON.stringify(answer, null, 2))
    return command.isBad?.(answer) !== true
  } finally {
    await deps.provider.close()
    await store.close()
  }
}
