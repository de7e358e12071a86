// `causeway doctor`: checks every dependency of a deployment, prints one line per check, and changes nothing.

import { statfs } from 'node:fs/promises'
import { startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { readReconciliation } from '../../../server/src/app/operator/provider.store.ts'
import { type Config, ConfigError } from '../../../server/src/platform/config.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import type { Query } from '../../../server/src/platform/postgres/query.ts'
import { createProvider } from '../../../server/src/provider/adapters.ts'
import { listProviderWebhooks } from '../../../server/src/provider/connection/webhooks.store.ts'
import type { Context } from '../command.ts'
import { type Deployment, findDeployment, homeOf, namesDatabase } from '../deployment.ts'
import { listenSecret } from '../listening/position.ts'
import { type Env, readState } from '../local-state.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { resolveTarget, type Target } from '../profile/resolve.ts'
import { readProfiles } from '../profile/store.ts'
import { receiverUrl } from '../webhooks/receiver-url.ts'
import { type Finding, firstOf, ok, problem, warning } from './check.ts'
import { checkDatabase } from './database.ts'
import { checkEndpoint } from './endpoint.ts'
import { checkProvider, type Stored } from './provider.ts'
import { checkWork } from './receivers.ts'
import { checkRedis } from './redis.ts'
import { checkServer } from './server.ts'
import { answersHere, checkSettings, localUrl } from './settings.ts'

const databaseWaitMs = 5_000

/**
 * Checks an endpoint, a server, or the deployment of this folder and environment.
 * @returns 1 if there is a problem; warnings return 0
 */
export async function doctor(context: Context): Promise<number> {
  const { flags, terminal } = context
  const findings = await examine(context)
  const isWell = findings.every(({ state }) => state !== 'problem')
  terminal.print(flags['json'] ? safeJson({ healthy: isWell, checks: findings }, 2) : tableOf(findings))
  return isWell ? exitCodes.done : exitCodes.refused
}

const now = (): number => Date.now()

async function examine(context: Context): Promise<Finding[]> {
  const { env, flags } = context
  if (flags['endpoint'] !== undefined)
    return await checkEndpoint(receiverUrl('--endpoint', flags['endpoint']), await secretOf(context), now)
  const target = await serverOf(context)
  if (target === null) return await examineDeployment(env)
  return [...(namesDatabase(env) ? await examineDeployment(env) : []), ...(await checkServer(target, now))]
}

/** Default: the secret of `causeway listen`. */
async function secretOf({ env, flags }: Context): Promise<string> {
  const given = flags['secret'] ?? env['CAUSEWAY_SIGNING_SECRET']
  return typeof given === 'string' && given !== '' ? given : await listenSecret(env)
}

/** @returns the named server, or the server of the current profile if this folder has no deployment; else null */
async function serverOf(context: Context): Promise<Target | null> {
  const { env, flags } = context
  const isNamed = [flags['profile'], flags['baseUrl'], env['CAUSEWAY_URL'], env['CAUSEWAY_PROFILE']].some(Boolean)
  if (isNamed) return await resolveTarget(context)
  const isHere = namesDatabase(env) || (await readState(homeOf(env), 'secrets.json')) !== null
  return isHere || (await readProfiles(env)).current === null ? null : await resolveTarget(context)
}

async function examineDeployment(env: Env): Promise<Finding[]> {
  let deployment: Deployment
  try {
    deployment = await findDeployment(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const remedy = 'See the page “Configuration” in the docs. No other check was run.'
    return error.problems.map((text) => problem('configuration', `${text}.`, remedy))
  }
  const { config } = deployment
  const settings = await checkSettings(config)
  const isRunning = settings.some(({ message }) => message === answersHere(config.port))
  return [
    ok('configuration', `valid, ${config.mode} mode`),
    ...settings,
    ...(await checkStores(deployment)),
    ...(await checkRedis(config.redisUrl)),
    ...(isRunning
      ? await checkServer({ baseUrl: localUrl(config), apiKey: null, metricsToken: config.metricsToken }, now)
      : []),
  ]
}

/** The database, its pending work, and the provider, because the database can have the provider's key. */
async function checkStores({ config, connection }: Deployment): Promise<Finding[]> {
  const provider = createProvider(config)
  const place = connection ? givenPlace(connection) : await placeOf(config)
  if ('finding' in place) {
    const found = [place.finding, ...(await checkProvider(provider, config, null, now))]
    await provider.close()
    return found
  }
  const options = { poolMax: 3, applicationName: 'causeway doctor', waitMs: databaseWaitMs }
  const directUrl = place.isOurs ? undefined : config.databaseDirectUrl
  const direct = directUrl === undefined ? null : openDatabase({ url: directUrl }, options)
  const db = openDatabase(place.target, {
    ...options,
    direct: directUrl === undefined ? undefined : { url: directUrl },
  })
  try {
    const found = await checkDatabase(db, direct, config, now)
    const isThere = found.length > 1
    const hasSchema = isThere && found.some(({ check, state }) => check === 'schema' && state !== 'problem')
    const stored = hasSchema ? await db.read(storedOf).catch(() => null) : null
    return [
      ...found,
      ...(place.isOurs ? [await checkDisk(config)] : []),
      ...(hasSchema ? await checkWork(db).catch(unreadable) : []),
      ...(await checkProvider(provider, config, stored, now)),
    ]
  } finally {
    await db.close()
    await direct?.close()
    await provider.close()
    await place.close()
  }
}

async function storedOf(query: Query): Promise<Stored> {
  const webhooks = await listProviderWebhooks(query)
  // Before its first server, a database has no row of the reconciliation.
  const row = await readReconciliation(query).catch(() => null)
  return { webhooks, lastEventAt: row?.lastEventAt ?? null }
}

/** A table that a migration has yet to make, or one that this user may not read. */
function unreadable(): Finding[] {
  return [warning('deliveries', 'Pending work cannot be read.', 'See the checks of the database.')]
}

type Place = { target: Parameters<typeof openDatabase>[0]; isOurs: boolean; close(): Promise<void> }

/** The database of a running local environment: on our disk, and still running after the check. */
const givenPlace = (target: ConnectionOptions): Place => ({ target, isOurs: true, close: async () => {} })

async function placeOf(config: Config): Promise<Place | { finding: Finding }> {
  if (config.databaseUrl !== undefined)
    return { target: { url: config.databaseUrl }, isOurs: false, close: async () => {} }
  try {
    const embedded = await startEmbedded({ home: config.home })
    return { target: embedded.connection, isOurs: true, close: () => embedded.stop() }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The embedded PostgreSQL does not start.'
    return { finding: warning('database', message, 'No other check of the database was run.') }
  }
}

async function checkDisk({ home }: Config): Promise<Finding> {
  const check = 'disk'
  const { bavail, bsize, blocks } = await statfs(home)
  const freeGigabytes = (bavail * bsize) / 1e9
  const share = bavail / blocks
  const facts = `${freeGigabytes.toFixed(1)} GB free (${Math.round(share * 100)}%)`
  const remedy = 'Free disk space. On a full disk, every write fails.'
  return firstOf(
    [
      freeGigabytes < 1 && problem(check, `Only ${facts}.`, remedy),
      (freeGigabytes < 5 || share < 0.1) && warning(check, `Only ${facts}.`, remedy),
    ],
    ok(check, facts),
  )
}

function tableOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.map(({ check, state, message, remedy }) => {
    const remedyText = remedy === undefined ? '' : ` ${remedy}`
    return safeText(`${state.padEnd(7)}  ${check.padEnd(width)}  ${message}${remedyText}`)
  })
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const summary = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}, ${count('ok')} ok`
  return [...lines, '', summary].join('\n')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
