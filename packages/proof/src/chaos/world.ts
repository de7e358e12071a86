// The world of a chaos run: replicas on one PostgreSQL, the emulated provider, receivers, and a fault proxy on every line
// between them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import { connectProvider } from '../../../server/src/provider/connection/connection.ts'
import { createEndpoint } from '../../../server/src/webhooks/endpoints/service.ts'
import { type Deployment, openBusiness, openDeployment } from '../relay-world/deployment.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import { startLineProcess } from '../rig/line-process.ts'
import { type Address, type FaultProxy, openFaultProxy } from '../rig/network/proxy.ts'
import { type ChaosProvider, startChaosProvider } from '../rig/provider.ts'
import type { Received } from './receivers.ts'
import type { Line } from './schedule.ts'
import { openVictims, type Victims } from './victims.ts'

export type ChaosBusiness = {
  index: number
  id: string
  apiKey: string
  /** Planted in the data of this business; no other business may see it. */
  mark: string
  endpointId: string
  secret: string
}

export type ChaosWorld = AsyncDisposable & {
  deployment: Deployment
  provider: ChaosProvider
  victims: Victims
  businesses: readonly ChaosBusiness[]
  /** What the receivers got so far. */
  received: readonly Received[]
  lineOf(line: Line): FaultProxy
  heal(): Promise<void>
}

// The shortest that let a healthy machine keep up: what a dead replica held is taken over that much sooner.
const settings = {
  PROVIDER_KIND: 'sandbox',
  PROVIDER_TIMEOUT_MS: '2000',
  PROVIDER_CUSTOMER_TIMEOUT_MS: '2000',
  RECONCILE_PERIOD_SECONDS: '10',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_RETRY_SECONDS: `0.2,0.4,0.8,${Array(17).fill('1').join(',')}`,
  RATE_LIMIT_REQUESTS: '1000000',
  KYC_SUBMISSIONS_PER_MINUTE: '10000',
  DATABASE_POOL_MAX: '12',
}

export async function openChaosWorld(options: {
  replicas: number
  /** One business each. */
  marks: readonly string[]
}): Promise<ChaosWorld> {
  await using stack = new AsyncDisposableStack()
  const home = await mkdtemp(join(tmpdir(), 'causeway-chaos-'))
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const received: Received[] = []
  const receivers = stack.use(
    await startLineProcess<Received & { port: number }>(new URL('./receivers.ts', import.meta.url), [], (line) =>
      received.push(line),
    ),
  )
  const database = stack.use(await startKillableDatabase())
  const provider = stack.use(await startChaosProvider(join(home, 'provider')))
  const line = async (target: () => Address, speaksPostgres = false): Promise<FaultProxy> =>
    stack.use(await openFaultProxy({ target, speaksPostgres }))
  const toProvider = await line(() => provider.address)
  const toReceivers = await line(() => ({ host: '127.0.0.1', port: receivers.ready.port }))
  const toDatabase = await Promise.all(
    Array.from({ length: options.replicas }, () => line(() => database.connection, true)),
  )
  const deployment = stack.use(
    await openDeployment(database.connection, {
      ...settings,
      PROVIDER_URL: `${toProvider.origin}/v0`,
      PROVIDER_API_KEY: provider.apiKey,
    }),
  )
  const victims = stack.use(
    await openVictims(database, toDatabase, (through) =>
      deployment.serve({ PGHOST: through.host, PGPORT: String(through.port) }),
    ),
  )
  const webhooks = await line(() => {
    const { hostname, port } = new URL(victims.baseUrl())
    return { host: hostname, port: Number(port) }
  })
  await connectProvider(deployment.deps, `${webhooks.origin}/v0/webhooks/provider`)
  const businesses: ChaosBusiness[] = []
  for (const [index, mark] of options.marks.entries())
    businesses.push(await openChaosBusiness(deployment, index, mark, toReceivers.origin))

  const owned = stack.move()
  return {
    deployment,
    provider,
    victims,
    businesses,
    received,
    ...linesOf({ provider: toProvider, webhooks, receivers: toReceivers, database: toDatabase }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

type Lines = { provider: FaultProxy; webhooks: FaultProxy; receivers: FaultProxy; database: readonly FaultProxy[] }

function linesOf({ database, ...single }: Lines): Pick<ChaosWorld, 'lineOf' | 'heal'> {
  return {
    lineOf(wanted) {
      if (wanted.of !== 'database') return single[wanted.of]
      const found = database[wanted.replica]
      if (!found) throw new Error(`there is no replica ${wanted.replica}`)
      return found
    },
    async heal() {
      for (const proxy of [...Object.values(single), ...database]) await proxy.heal()
    },
  }
}

async function openChaosBusiness(
  deployment: Deployment,
  index: number,
  mark: string,
  receivers: string,
): Promise<ChaosBusiness> {
  const id = await openBusiness(deployment, [])
  const business = {
    id,
    name: 'A business of the proof',
    status: 'active',
    keyId: '',
    scopes: [],
    sessionId: null,
    consoleLinkId: null,
    requestId: null,
  } as const
  const { key } = await issueApiKey(deployment.deps, id, {})
  const settings = {
    webhookUrl: `${receivers}/${index}`,
    ordering: index % 2 === 0 ? 'best_effort' : 'per_end_user',
  } as const
  const endpoint = await createEndpoint(deployment.deps, { business, held: null }, settings)
  return { index, id, apiKey: key, mark, endpointId: endpoint.id, secret: endpoint.signingSecret }
}
