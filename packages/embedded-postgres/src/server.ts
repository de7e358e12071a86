// Starts and stops the postmaster of a cluster, and adopts one that runs. The postmaster outlives a killed parent on purpose:
// its data stays whole and the next start adopts it.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { dataOf, logOf } from './cluster.ts'
import { EmbeddedError, EmbeddedInUse } from './error.ts'
import type { Place } from './place.ts'
import { lastLines, run, runNow, spawnOptions } from './process.ts'
import { type Claim, claim, type Session } from './session.ts'
import { chooseEndpoint, type Endpoint, readEndpoint, readPostmasterId, removeSocketDirectory } from './socket.ts'

export type Server = {
  place: Place
  binaries: Binaries
  password: string
  durable: boolean
  /** Where the server listens; null until it was started or adopted once. It stays the same for our lifetime. */
  endpoint: Endpoint | null
  /** The postmaster we started last; null when we only adopted one. */
  launch: Launch | null
  log: (line: string) => void
}

type Launch = { child: ChildProcess; isRunning(): boolean; lastWords(): string }

const pollMs = 10
const heldGraceMs = 1_000 // the lock of a killed holder is free within milliseconds
const refusedGraceMs = 10_000 // processes of a killed postmaster leave their memory within seconds
const relaunchPauseMs = 100
const exitTimeoutMs = 5_000
const sayWaitingAfterMs = 3_000
const answerTimeoutMs = 30_000
const recoveryTimeoutMs = 10 * 60_000 // a server that replays its log says so; after a kill the replay would begin again
const stopModes = [
  { mode: 'fast', timeoutMs: 30_000 },
  { mode: 'immediate', timeoutMs: 10_000 },
] as const
const stopCommandTimeoutMs = 5_000
const logBytesMax = 10 * 1024 * 1024

/** A temporary refusal if the server is shutting down or was just killed. */
const passingRefusal = /lock file ".*" already exists|is still in use|Is another postmaster/

/**
 * Brings the server up and takes its lock, whichever of "running and nobody's", "starting", "stopping" or "down" it is in.
 * `adopted`: it was running already. An aborted `signal` gives up, and ends what was launched.
 * @throws EmbeddedInUse, EmbeddedError `not_ours`, `failed`; the signal's reason
 */
export async function bringUp(server: Server, signal?: AbortSignal): Promise<{ session: Session; adopted: boolean }> {
  try {
    const session = await reachAndClaim(server, signal)
    const adopted = !server.launch?.isRunning()
    if (adopted && session.fsync !== server.durable) {
      server.log('The running server has different durability settings, restarting it')
      await shutDown(server, session)
      return await bringUp(server, signal)
    }
    if (adopted) discardSocket(server)
    server.endpoint = session.endpoint
    return { session, adopted }
  } catch (error) {
    // Another start may have claimed the launched server: then the server belongs to that start.
    if (!(error instanceof EmbeddedInUse)) await abandon(server.launch)
    if (!server.launch?.isRunning()) discardSocket(server)
    throw error
  }
}

async function reachAndClaim(server: Server, signal: AbortSignal | undefined): Promise<Session> {
  const begunAt = performance.now()
  let launchedAt = Number.NEGATIVE_INFINITY
  let saidWaiting = false
  for (;;) {
    const found = await tryClaim(server)
    if (found.state === 'claimed') return found.session
    signal?.throwIfAborted()
    const elapsedMs = performance.now() - begunAt
    if (found.state === 'held' && elapsedMs > heldGraceMs) throw new EmbeddedInUse(server.place.home)
    if (elapsedMs > (found.state === 'starting' ? recoveryTimeoutMs : answerTimeoutMs)) throw silent(server)
    if (elapsedMs > sayWaitingAfterMs && !saidWaiting) {
      server.log(`Waiting for PostgreSQL (${found.state}); its log is ${logOf(server.place)}`)
      saidWaiting = true
    }
    if (found.state === 'absent' && !server.launch?.isRunning()) {
      const refusal = server.launch?.lastWords() ?? null
      const passing = refusal === null || (passingRefusal.test(refusal) && elapsedMs < refusedGraceMs)
      if (!passing) throw refused(server, refusal)
      if (performance.now() - launchedAt > relaunchPauseMs) {
        server.launch = await launch(server)
        launchedAt = performance.now()
      }
    }
    await sleep(pollMs)
  }
}

/** Removes the socket directory of a failed launch, unless postmaster.pid names it. */
function discardSocket(server: Server): void {
  const named = readEndpoint(dataOf(server.place))?.host
  if (server.endpoint && server.endpoint.host !== named) removeSocketDirectory(server.endpoint.host, server.place)
}

async function tryClaim(server: Server): Promise<Claim> {
  const endpoint = readEndpoint(dataOf(server.place))
  return endpoint ? claim(endpoint, server.password) : { state: 'absent' }
}

async function launch(server: Server): Promise<Launch> {
  const { place } = server
  const left = readEndpoint(dataOf(place))
  const endpoint = server.endpoint ?? (await chooseEndpoint(place))
  if (left && left.host !== endpoint.host) removeSocketDirectory(left.host, place)
  server.endpoint = endpoint
  const log = logOf(place)
  if (sizeOf(log) > logBytesMax) renameSync(log, `${log}.1`)
  const offset = sizeOf(log)
  // A file, not a pipe: the server outlives this process. Detached: Ctrl-C reaches this process and not the server.
  const output = openSync(log, 'a', 0o600)
  const child = spawn(server.binaries.postgres, ['-D', dataOf(place), ...settings(endpoint, server.durable)], {
    ...spawnOptions(place.account),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref()
  let failure: Error | null = null
  child.once('error', (error) => {
    failure = error
  })
  const lastWords = () => {
    const end = failure?.message ?? `ended with ${child.signalCode ?? `code ${child.exitCode}`}`
    return `${readFileSync(log).subarray(offset).toString('utf8')}(${end})`
  }
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  return { child, isRunning, lastWords }
}

async function abandon(launched: Launch | null): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!launched?.isRunning()) return
    launched.child.kill(signal)
    await until(() => !launched.isRunning(), exitTimeoutMs)
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Given on the command line, so that a new version of this package brings its settings to existing data. */
function settings(endpoint: Endpoint, durable: boolean): string[] {
  const overTcp = !endpoint.host.startsWith('/')
  const values: Record<string, string> = {
    listen_addresses: overTcp ? endpoint.host : '',
    unix_socket_directories: overTcp ? '' : endpoint.host,
    unix_socket_permissions: '0700',
    port: String(endpoint.port),
    max_connections: '250',
    shared_buffers: '128MB',
    // Shared memory as files of the data directory: what a killed server leaves is removed with it, /dev/shm stays clean.
    dynamic_shared_memory_type: process.platform === 'win32' ? 'windows' : 'mmap',
    wal_compression: 'pglz',
    max_wal_size: '1GB',
    autovacuum: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    cluster_name: 'causeway',
    // Without fsync a committed row is in the kernel's memory: only a crash of the machine loses it.
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Stops the server whose lock `session` holds: fast, which ends every session; then at once. Waits without pg_ctl, which
 * would mistake the server of the next start, up within milliseconds, for this one.
 * @throws EmbeddedError `failed` when the server does not stop
 */
export async function shutDown(server: Server, session: Session): Promise<void> {
  const data = dataOf(server.place)
  const id = readPostmasterId(data)
  const isStopped = () => id === null || readPostmasterId(data) !== id || !exists(id)
  session.onLost(() => {})
  let said = ''
  for (const { mode, timeoutMs } of stopModes) {
    if (isStopped()) break
    const args = ['stop', '--pgdata', data, '--mode', mode, '--no-wait']
    said = (await run(server.binaries.pgCtl, args, server.place.account, stopCommandTimeoutMs)).output
    await until(isStopped, timeoutMs)
  }
  await session.close()
  if (!isStopped()) throw new EmbeddedError('failed', `PostgreSQL (process ${id}) did not stop: ${lastLines(said)}`)
  await until(() => !server.launch?.isRunning(), exitTimeoutMs) // its lock file goes a moment before it does
  server.launch = null
  removeSocketDirectory(session.endpoint.host, server.place)
}

/** Orders the stop without waiting for its end: for an exit handler. */
export function orderStop(server: Server): void {
  const args = ['stop', '--pgdata', dataOf(server.place), '--mode', 'fast', '--no-wait']
  runNow(server.binaries.pgCtl, args, server.place.account, stopCommandTimeoutMs)
}

function exists(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

/** Polls until the condition holds or the time is up. */
async function until(isSo: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!isSo() && performance.now() < deadline) await sleep(pollMs)
}

function refused(server: Server, words: string): EmbeddedError {
  const said = lastLines(words)
  if (!passingRefusal.test(words)) {
    return new EmbeddedError('failed', `PostgreSQL did not start (its log: ${logOf(server.place)}):\n${said}`)
  }
  const lockFile = join(dataOf(server.place), 'postmaster.pid')
  return new EmbeddedError(
    'not_ours',
    `PostgreSQL did not start, because the process named in ${lockFile} is alive, but nothing responds at its socket:\n${said}\n` +
      'If that process is a PostgreSQL, stop it. If it is something else that got the same number, remove that file.',
  )
}

function silent(server: Server): EmbeddedError {
  const log = logOf(server.place)
  const said = existsSync(log) ? lastLines(readFileSync(log, 'utf8')) : 'nothing'
  return new EmbeddedError(
    'not_ours',
    `PostgreSQL was started but does not respond. Its log, ${log}, ends with:\n${said}`,
  )
}
