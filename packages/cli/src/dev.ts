// `causeway dev`: a local environment, kept between starts, with suggestions of what to try next.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { forgetEmbedded } from '../../embedded-postgres/src/embedded.ts'
import { LocalLinks, localLinkMinutes } from '../../server/src/console/local-links.ts'
import { ConfigError } from '../../server/src/platform/config.ts'
import type { Log } from '../../server/src/platform/observe/log.ts'
import { returnIdleMemory } from '../../server/src/process/idle-memory.ts'
import { stopRequested } from '../../server/src/process/signals.ts'
import { type Env, writeState } from './local-state.ts'
import { forgetRunning, noteRunning, refuseSecondWorld, refuseTakenPorts } from './running-world.ts'
import { servePages } from './world/pages.ts'
import { checkSettings, startWorld, type World } from './world/world.ts'

const stateNames = ['dev.json', 'running.json', 'first-business.json', 'secrets.json', 'sandbox']

export async function dev(env: Env, options: { reset: boolean }): Promise<void> {
  const startedMs = performance.now()
  const { home, port, sandboxPort, logLevel } = readSettings(env)
  // A stop request during the start waits until the start is complete: then every process is known and can be stopped.
  const stop = stopRequested()
  returnIdleMemory()
  await refuseSecondWorld(home)
  await refuseTakenPorts({ PORT: port, SANDBOX_PORT: sandboxPort })
  if (options.reset) await forget(home)
  const log = () => terminalLog(env, logLevel)
  const world = await startWorld({ home, port, sandboxPort, log, env, sandboxArgs: ['--strict-agreements'] })
  await writeState(home, 'dev.json', world.facts)
  await noteRunning(home, { baseUrl: world.facts.baseUrl, connection: world.connection })
  const links = openDoors(world)
  console.log(banner(world, links, home, performance.now() - startedMs))
  const watch = await watchEndpoints(world)
  const pages = servePages(world, env, console.log)
  const following = await showEvents(world, env)
  await stop
  clearInterval(watch)
  await following.stop()
  await pages.stop()
  console.log('\nStopping. Finishing requests in progress…')
  await world.stop()
  await forgetRunning(home)
  console.log(`Stopped. Data is kept in ${home}. To delete it: npm start -- --reset`)
}

/** Sets up the pages and links that only a local environment has. @returns the one-time links into its console */
function openDoors({ facts: { apiKey }, server, sandbox }: World): LocalLinks {
  const build = () => ({ state: 'built' }) as const
  const links = new LocalLinks(server.deps.randomBytes)
  server.docs.host = { build, apiKey, sandboxUrl: sandbox.url }
  server.console.host = { build, apiKey, links }
  return links
}

const hasColor = (env: Env): boolean => process.stdout.isTTY === true && !env['NO_COLOR'] && !env['CI']
const isForMachines = (env: Env): boolean => env['LOG_FORMAT'] === 'json'

/** A line for each request and delivery. With LOG_FORMAT=json, the log is unchanged. */
async function terminalLog(env: Env, level: string): Promise<Log> {
  const [{ createLog }, { readableLog }] = await Promise.all([
    import('../../server/src/platform/observe/log.ts'),
    import('./dev-lines.ts'),
  ])
  if (isForMachines(env)) return createLog(level)
  return createLog(level, readableLog(hasColor(env), console.log, console.error))
}

/** A line for each event of the first business. */
async function showEvents({ server, facts }: World, env: Env): Promise<{ stop(): Promise<void> }> {
  const gone = new AbortController()
  const { followEvents } = await import('./dev-lines.ts')
  const options = { hasColor: hasColor(env), say: console.log, gone: gone.signal }
  const following = isForMachines(env) ? null : followEvents(server, facts.customerId, options)
  return {
    async stop() {
      gone.abort()
      await following
    },
  }
}

const endpointLookMs = 1_000

/** Sends the inboxes the secrets of endpoints that are created, moved or rotated later. */
async function watchEndpoints({ server, sandbox }: World): Promise<NodeJS.Timeout> {
  const send = (await import('./world/first-business.ts')).inboxSecretsSender(server.deps, sandbox.url)
  return setInterval(() => void send().catch(() => {}), endpointLookMs) // the server logs an unavailable database
}

/** Reads and checks all settings before anything starts. @throws ConfigError with every problem */
function readSettings(env: Env): { home: string; port: number; sandboxPort: number; logLevel: string } {
  const problems: string[] = []
  const sandboxPort = env['SANDBOX_PORT'] || '8081'
  if (!/^\d{1,5}$/.test(sandboxPort) || Number(sandboxPort) > 65_535)
    problems.push('SANDBOX_PORT must be a whole number from 0 to 65535')
  if (!['auto', 'never'].includes(env['BUILD_PAGES'] || 'auto')) problems.push('BUILD_PAGES must be one of auto, never')
  try {
    const { home, port } = checkSettings(env)
    if (problems.length === 0)
      return { home, port, sandboxPort: Number(sandboxPort), logLevel: env['LOG_LEVEL'] || 'info' }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
  }
  throw new ConfigError(problems)
}

/** Deletes a local environment: its database first, which fails while it is in use. */
async function forget(home: string): Promise<void> {
  await forgetEmbedded(home)
  for (const name of stateNames) await rm(join(home, name), { recursive: true, force: true })
}

function banner({ facts, sandbox, setAside }: World, links: LocalLinks, home: string, startMs: number): string {
  const { baseUrl, apiKey, consoleUrl } = facts
  return `
  Causeway is ready (${(startMs / 1000).toFixed(1)} s)

    Console        ${consoleUrl}/link#${links.create('business')}
                   signs you in once, within ${localLinkMinutes} minutes. New link: npx causeway open
    API            ${baseUrl}/v0
    Documentation  ${baseUrl}/docs           ready about a minute after the first start
    Provider       ${sandbox.url}          the sandbox provider: no real money, no real documents
    Simulate       ${consoleUrl}/sandbox   create test end-users, simulate deposits, read the webhook inbox
    API key        ${apiKey}
    All settings   ${join(home, 'dev.json')}, or npx causeway status

  Try next, in another terminal (or follow the quickstart in the documentation):

    export KEY=${apiKey}

    # 1. Create an end-user and an onboarding link
    curl -s ${baseUrl}/v0/end-users -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
      -d '{"externalUserId":"user-1","email":"user-1@example.com"}'
    curl -s -X POST ${baseUrl}/v0/end-users/user-1/onboarding-links -H "Authorization: Bearer $KEY"

    # 2. Open the \`url\` of the response, and complete the form as the end-user
    #    Run the whole flow at once:   npm run demo
    #    Trigger a sample event:       npx causeway trigger deposit.completed
    #    Stream events:                npx causeway listen

  ${setAsideNote(setAside)}Ctrl-C stops everything.
`
}

const setAsideNote = (directory: string | null): string =>
  directory === null
    ? ''
    : `The data folder of an earlier local environment was removed. Its database is kept in
  ${directory}
  until you delete that folder or run npm start -- --reset.

  `
