// `causeway doctor`: looks at everything a deployment leans on, says in one line each what it found, and changes nothing.

import { statfs } from 'node:fs/promises'
import { startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { type Config, ConfigError } from '../../../server/src/platform/config.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { createProviderClient } from '../../../server/src/provider/client.ts'
import { listProviderWebhooks } from '../../../server/src/provider/connection/webhooks.store.ts'
import type { Terminal } from '../command.ts'
import { type Deployment, findDeployment } from '../deployment.ts'
import type { Env } from '../local-state.ts'
import { type Finding, firstOf, ok, problem, warning } from './check.ts'
import { checkDatabase } from './database.ts'
import { checkProvider } from './provider.ts'
import { checkWork } from './receivers.ts'
import { checkRedis } from './redis.ts'
import { checkSettings } from './settings.ts'

const databaseWaitMs = 5_000

/** @returns whether there is no problem; a warning is none */
export async function doctor(env: Env, { json }: { json: boolean }, { print }: Terminal): Promise<boolean> {
  const findings = await examine(env)
  const isWell = findings.every(({ state }) => state !== 'problem')
  print(json ? JSON.stringify({ healthy: isWell, checks: findings }, null, 2) : tableOf(findings))
  return isWell
}

async function examine(env: Env): Promise<Finding[]> {
  let deployment: Deployment
  try {
    deployment = await findDeployment(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const remedy = 'See docs/configuration.md; nothing else was looked at.'
    return error.problems.map((text) => problem('configuration', `${text}.`, remedy))
  }
  const { config } = deployment
  return [
    ok('configuration', `complete, ${config.mode} mode`),
    ...(await checkSettings(config)),
    ...(await checkStores(deployment)),
    ...(await checkRedis(config.redisUrl)),
  ]
}

/** The database, what waits in it, and the provider, whose key it may hold. */
async function checkStores({ config, connection }: Deployment): Promise<Finding[]> {
  const provider = createProviderClient({
    baseUrl: config.providerUrl,
    apiKey: config.providerApiKey ?? '',
    timeoutMs: config.providerTimeoutMs,
  })
  const place = connection ? givenPlace(connection) : await placeOf(config)
  if ('finding' in place) {
    const found = [place.finding, ...(await checkProvider(provider, config, null))]
    await provider.close()
    return found
  }
  const db = openDatabase(place.target, { poolMax: 3, applicationName: 'causeway doctor', waitMs: databaseWaitMs })
  try {
    const found = await checkDatabase(db, config, () => Date.now())
    const isThere = found.length > 1
    const hasSchema = isThere && found.some(({ check, state }) => check === 'schema' && state !== 'problem')
    const stored = hasSchema ? await db.read(listProviderWebhooks).catch(() => null) : null
    return [
      ...found,
      ...(place.isOurs ? [await checkDisk(config)] : []),
      ...(hasSchema ? await checkWork(db).catch(unreadable) : []),
      ...(await checkProvider(provider, config, stored)),
    ]
  } finally {
    await db.close()
    await provider.close()
    await place.close()
  }
}

/** A table that a migration has yet to make, or one that this user may not read. */
function unreadable(): Finding[] {
  return [warning('deliveries', 'What waits cannot be read.', 'See the findings on the database.')]
}

type Place = { target: Parameters<typeof openDatabase>[0]; isOurs: boolean; close(): Promise<void> }

/** The database of a world that runs: it has a disk of ours, and stays when we have looked. */
const givenPlace = (target: ConnectionOptions): Place => ({ target, isOurs: true, close: async () => {} })

async function placeOf(config: Config): Promise<Place | { finding: Finding }> {
  if (config.databaseUrl !== undefined)
    return { target: { url: config.databaseUrl }, isOurs: false, close: async () => {} }
  try {
    const embedded = await startEmbedded({ home: config.home, ...(config.pgBin && { binaries: config.pgBin }) })
    return { target: embedded.connection, isOurs: true, close: () => embedded.stop() }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The embedded PostgreSQL does not start.'
    return { finding: warning('database', message, 'Nothing in it was looked at.') }
  }
}

async function checkDisk({ home }: Config): Promise<Finding> {
  const check = 'disk'
  const { bavail, bsize, blocks } = await statfs(home)
  const freeGigabytes = (bavail * bsize) / 1e9
  const share = bavail / blocks
  const facts = `${freeGigabytes.toFixed(1)} GB are free, ${Math.round(share * 100)} %`
  const remedy = 'Make room: a full disk refuses every write.'
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
    return `${state.padEnd(7)}  ${check.padEnd(width)}  ${message}${remedyText}`
  })
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const summary = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}, ${count('ok')} ok`
  return [...lines, '', summary].join('\n')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
