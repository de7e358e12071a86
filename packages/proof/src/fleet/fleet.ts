// Replicas of `causeway serve` as processes of their own on one database, with the emulated provider, and a receiver behind
// two endpoints of one business. How a proof uses it:
//
//   await using stack = new AsyncDisposableStack()
//   endOnSignals(stack)                                     // programs.ts: SIGINT and SIGTERM end what the stack holds
//   const postgres = stack.use(await startDebianPostgres()) // debian-postgres.ts, or a database of the proof's own
//   const fleet = stack.use(await openFleet({ database: postgres.connection, replicas: 3 }))
//   const load = startMixedLoad(fleet, { eventsPerSecond: 60, callsPerSecond: 10, seed })   // load.ts
//   ... break something: fleet.replicas[0].kill(), .restart(), postgres.kill() ...
//   await load.stop()
//   const judged = await judgeFleet(fleet, load)            // judge.ts; faultsOf(judged) lists what broke

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import type { Target } from '../../../server/src/platform/postgres/client.ts'
import { connectProvider } from '../../../server/src/provider/connection/connection.ts'
import type { ServeProgram } from '../../../server/test/serve-process.ts'
import type { ChaosBusiness } from '../chaos/world.ts'
import type { ReceiverLine } from '../chaos-relay/receivers.ts'
import {
  addEndUsers,
  type Deployment,
  type Endpoint,
  openBusiness,
  openDeployment,
  openEndpoint,
} from '../relay-world/deployment.ts'
import { type ChaosProvider, startChaosProvider } from '../relay-world/provider.ts'
import { atProcessEnd } from '../rig/exit.ts'
import { startLineProcess } from '../rig/line-process.ts'
import { openFaultProxy } from '../rig/network/proxy.ts'
import { type Replica, startReplica } from './replica.ts'

export type FleetOptions = {
  /** Where the proof itself connects, and the replicas too unless `env` gives them a DATABASE_URL. */
  database: Target
  replicas: number
  /** Settings of every replica. */
  env?: Readonly<Record<string, string>>
  /** Settings of one replica beyond those. */
  envOf?: (index: number) => Readonly<Record<string, string>>
  /** Arguments of `causeway serve` for one replica. */
  argsOf?: (index: number) => readonly string[]
  /** What starts a replica: another build of the program, or a wrapper; by default the program of this tree. */
  commandOf?: (index: number) => NonNullable<ServeProgram['command']>
}

export type Fleet = AsyncDisposable & {
  /** Past the API, to set up and to look. */
  deployment: Deployment
  provider: ChaosProvider
  business: ChaosBusiness
  /** By the name that the receiver's lines bear. */
  endpoints: ReadonlyMap<string, Endpoint>
  /** What the receiver got so far. */
  lines: readonly ReceiverLine[]
  /** External ids of the end-users that the provider's events of the load are about. */
  eventUsers: readonly string[]
  replicas: readonly Replica[]
  baseUrls(): readonly string[]
  /** The replicas by turns, those that are down among them: neither the provider nor a caller knows. */
  nextUrl(): string
}

const eventUserCount = 40
const mark = `mark${'f1ee7'.padEnd(16, '0')}`

// Everything else as a deployment has it by default: what a proof measures, an operator will see.
const settings = {
  PROVIDER_KIND: 'sandbox',
  RECONCILE_PERIOD_SECONDS: '10',
  RATE_LIMIT_REQUESTS: '1000000',
  KYC_SUBMISSIONS_PER_MINUTE: '10000',
}

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  await using stack = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'causeway-fleet-'))
  const remove = (): void => rmSync(home, { recursive: true, force: true })
  const forget = atProcessEnd(remove)
  stack.defer(() => {
    forget()
    remove()
  })
  const lines: ReceiverLine[] = []
  const receivers = stack.use(
    await startLineProcess<ReceiverLine & { port: number }>(
      new URL('../chaos-relay/receivers.ts', import.meta.url),
      ['0', 'calm'],
      (line) => lines.push(line),
    ),
  )
  const provider = stack.use(await startChaosProvider(join(home, 'provider')))
  const { host, port } = provider.address
  const deployment = stack.use(
    await openDeployment(options.database, {
      ...settings,
      PROVIDER_URL: `http://${host}:${port}/v0`,
      PROVIDER_API_KEY: provider.apiKey,
      ...options.env,
    }),
  )
  const replicas: Replica[] = []
  stack.defer(async () => void (await Promise.all(replicas.map((replica) => replica.kill()))))
  for (let index = 0; index < options.replicas; index++) {
    const command = options.commandOf?.(index)
    const env = options.envOf?.(index) ?? {}
    const args = options.argsOf?.(index) ?? []
    replicas.push(await startReplica(deployment, `replica ${index + 1}`, { env, args, ...(command && { command }) }))
  }
  let turn = 0
  const nextUrl = (): string => replicas[turn++ % replicas.length]?.url ?? ''
  // The provider knows one address; what answers there must outlive each replica.
  const door = stack.use(
    await openFaultProxy({
      target() {
        const { hostname, port } = new URL(nextUrl())
        return { host: hostname, port: Number(port) }
      },
    }),
  )
  await connectProvider(deployment.deps, `${door.origin}/v0/webhooks/provider`)
  const customer = await openCustomer(deployment, `http://127.0.0.1:${receivers.ready.port}`)
  const owned = stack.move()
  return {
    deployment,
    provider,
    ...customer,
    lines,
    replicas,
    baseUrls: () => replicas.map(({ url }) => url),
    nextUrl,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The endpoints come before the end-users: then every event there is must reach both. */
async function openCustomer(
  deployment: Deployment,
  receiver: string,
): Promise<Pick<Fleet, 'business' | 'endpoints' | 'eventUsers'>> {
  const id = await openBusiness(deployment, [])
  const { key } = await issueApiKey(deployment.deps, id, {})
  const endpoints = new Map<string, Endpoint>()
  for (const [name, ordering] of [
    ['quick', 'best_effort'],
    ['ordered', 'per_end_user'],
  ] as const)
    endpoints.set(name, await openEndpoint(deployment, { businessId: id, url: `${receiver}/${name}`, ordering }))
  const eventUsers = Array.from({ length: eventUserCount }, (_, index) => `fleet-user-${index}`)
  await addEndUsers(deployment, id, eventUsers)
  return { business: { index: 0, id, apiKey: key, mark, endpointId: '', secret: '' }, endpoints, eventUsers }
}
