// Opens the world of a proof by HTTP and the command line alone.

import { join } from 'node:path'
import { createProviderSigner } from '../../../../server/test/provider-signer.ts'
import type { Clock, Database, Redis } from '../databases/database.ts'
import { startRedis } from '../databases/redis.ts'
import { makeSteppedClock } from '../databases/stepped-clock.ts'
import { ownCommandLine } from '../environment.ts'
import type { Address } from '../network/proxy.ts'
import { openHome, requireProgram } from '../programs.ts'
import type { BusinessPlan, Settings, World, WorldPlan } from '../world.ts'
import { openBusinesses } from './business.ts'
import { addressOf, openLines, originOf } from './lines.ts'
import { runOperator } from './operator.ts'
import { postsOf, silentProvider, startEmulator } from './provider.ts'
import type { ReplicaStart } from './replica.ts'
import { openReplicas } from './replicas.ts'
import { openRoute } from './route.ts'
import { commonSettings, databaseSettings, drawSecrets } from './settings.ts'

const businessByDefault: BusinessPlan = {
  endpoints: [{ ordering: 'best_effort' }, { ordering: 'per_end_user' }],
  endUsers: 40,
}
const replicasByDefault = 3

/** Uses only HTTP and the command line, so that any version can be set up. */
export async function openWorld<D extends Database>(
  plan: WorldPlan<D>,
  outer: AsyncDisposableStack,
): Promise<World<D>> {
  for (const need of plan.database.needs) requireProgram(...need)
  const stack = outer.use(new AsyncDisposableStack())
  const { provider: kind = 'emulator', program = ownCommandLine, businesses = [businessByDefault] } = plan
  const home = stack.use(openHome())
  const database = await plan.database.open(stack)
  const redis = plan.redis ? await startRedis(stack) : null
  const clock = plan.clock ? makeSteppedClock(home, 'replica') : null
  const upstream = kind === 'silent' ? silentProvider : await startEmulator(join(home.path, 'provider'), stack)
  const lines = openLines(plan.lines ?? false, stack)
  const signer = createProviderSigner()
  const secrets = drawSecrets()
  const at = await lines.lead('provider', () => upstream.address)
  const common: Settings = {
    ...commonSettings(kind, { at, apiKey: upstream.apiKey, publicKey: signer.publicKey }, secrets),
    ...(redis && { REDIS_URL: redis.url }),
    ...plan.settings,
  }
  const startOf = async (index: number): Promise<ReplicaStart> => {
    const lead = plan.lines ? (target: () => Address) => lines.lead({ replica: index }, target) : undefined
    const address = await databaseSettings(database, lead)
    const settings = { ...common, ...address, ...plan.settingsOf?.(index), ...(index === 0 && clock?.env) }
    return { program, args: plan.argsOf?.(index) ?? [], settings }
  }
  const route = stack.use(openRoute(plan.route ?? 'blind'))
  const { heal, ...replicas } = await openReplicas(plan.replicas ?? replicasByDefault, route, startOf, stack)
  const operator: World<D>['operator'] = async (...args) =>
    runOperator(program, args, { ...common, ...(await databaseSettings(database)) })
  if (kind === 'emulator') {
    const webhooks = await lines.lead('webhooks', () => addressOf(route.nextUrl()))
    await connectProvider(operator, `${originOf(webhooks)}/v0/webhooks/provider`)
  }
  const { send } = route
  const { adminSecret } = secrets
  return {
    ...(await openBusinesses(businesses, { adminSecret, send, lines, seed: plan.seed ?? 1 }, stack)),
    database,
    provider: { ...upstream, ...postsOf(signer, send) },
    adminSecret,
    clock: clock ?? absent,
    redis: redis ?? absent,
    send,
    lineOf: lines.lineOf,
    operator,
    ...replicas,
    async heal() {
      await Promise.all([lines.heal(), database.heal(), redis?.heal(), upstream.isUp()])
      clock?.stepTo(0)
      await heal()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function refuse(): never {
  throw new Error('the plan of the world names no such thing')
}
const absent: Clock & Redis = {
  stepTo: refuse,
  kill: async () => refuse(),
  start: async () => refuse(),
  freeze: refuse,
  thaw: refuse,
}

async function connectProvider(operator: World<never>['operator'], url: string): Promise<void> {
  const { code, stderr } = await operator('provider', 'connect', '--url', url)
  if (code !== 0) throw new Error(`"provider connect" ended with ${code}: ${stderr}`)
}
