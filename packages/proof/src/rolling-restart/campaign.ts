// One rolling restart: three replicas behind a load balancer, under reads and writes; each is told to stop by SIGTERM in
// turn and replaced, again and again; then the verdict.

import { issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import type { ServeProcess } from '../../../server/test/serve-process.ts'
import { type Deployment, openBusiness, openDeployment } from '../relay-world/deployment.ts'
import { openBalancer } from '../rig/balancer.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import { type LoadFigures, startLoad } from './load.ts'

export type RollingOptions = {
  /** Rounds: each restarts every replica once. */
  times: number
  seed: number
  replicas?: number
  /** How long a replica goes on answering while it is not ready any more. */
  delayMs?: number
  say?: (line: string) => void
}

export type RollingReport = LoadFigures & {
  restarts: number
  /** Replicas that ended otherwise than with 0, or too late. */
  badExits: number
  /** Acknowledged writes that were not found afterwards. */
  lost: number
  examples: string[]
  slowestStopMs: number
  seed: number
  durationMs: number
}

// Several checks of the balancer fit in between.
const delayMsDefault = 400
const graceMs = 3_000
/** Its own bounds are far above: a stop that takes so long hangs. */
const stopMsMax = 10_000

export async function runRollingRestart(options: RollingOptions): Promise<RollingReport> {
  const { times, seed, replicas = 3, delayMs = delayMsDefault, say = () => {} } = options
  const startedAt = performance.now()
  const report = { restarts: 0, badExits: 0, slowestStopMs: 0 }
  await using database = await startKillableDatabase()
  await using deployment = await openDeployment(database.connection, {
    SHUTDOWN_DELAY_MS: String(delayMs),
    SHUTDOWN_GRACE_MS: String(graceMs),
    RATE_LIMIT_REQUESTS: '1000000',
  })
  const apiKey = await openCustomer(deployment)
  await using stack = new AsyncDisposableStack()
  const balancer = stack.use(openBalancer())
  const running: ServeProcess[] = []
  stack.defer(async () => void (await Promise.all(running.map((replica) => replica.kill()))))
  const begin = async (): Promise<void> => {
    const replica = await deployment.serve()
    running.push(replica)
    await balancer.add(replica.url)
  }
  await Promise.all(Array.from({ length: replicas }, begin))

  const load = startLoad(balancer, { apiKey, signer: deployment.signer, seed })
  try {
    for (let round = 1; round <= times; round++) {
      for (let turn = 0; turn < replicas; turn++) {
        await begin() // the new one first, as an orchestrator does
        const old = running.shift()
        if (!old) throw new Error('no replica runs')
        const toldAt = performance.now()
        const exitCode = await Promise.race([old.terminate(), late()])
        const tookMs = performance.now() - toldAt
        if (exitCode === 'late') await old.kill()
        balancer.remove(old.url)
        report.restarts += 1
        report.slowestStopMs = Math.max(report.slowestStopMs, Math.round(tookMs))
        if (exitCode !== 0) {
          report.badExits += 1
          say(`a replica ended with ${exitCode}`)
        }
      }
      say(`round ${round}: ${load.figures().requests} requests, ${load.figures().failed} failed`)
    }
  } finally {
    await load.stop()
  }
  const lost = await missing(deployment, load.acknowledged)
  const durationMs = Math.round(performance.now() - startedAt)
  return { ...report, ...load.figures(), lost, examples: load.examples, seed, durationMs }
}

function late(): Promise<'late'> {
  return new Promise((resolve) => setTimeout(() => resolve('late'), stopMsMax).unref())
}

async function openCustomer(deployment: Deployment): Promise<string> {
  const businessId = await openBusiness(deployment, ['user-of-events'])
  return (await issueApiKey(deployment.deps, businessId, {})).key
}

async function missing({ db }: Deployment, externalUserIds: readonly string[]): Promise<number> {
  const found = await db.read(
    (query) =>
      query`select external_user_id from end_users where external_user_id = any(${[...externalUserIds]}::text[])`,
  )
  return externalUserIds.length - found.length
}

/** Lists the faults of a run: none when every promise held and the run could have broken one. */
export function faultsOf(report: RollingReport): string[] {
  const { requests, failed, badExits, lost, restarts } = report
  const faults: string[] = []
  if (requests < restarts * 10) faults.push('too few requests were made to prove anything')
  if (failed > 0) faults.push(`${failed} requests failed and were not retryable`)
  if (badExits > 0) faults.push(`${badExits} replicas did not end with 0 in time`)
  if (lost > 0) faults.push(`${lost} acknowledged writes were lost`)
  return faults
}
