// Starts and stops the postmaster of a cluster, and takes over one that is running. The postmaster outlives us when we are
// killed, on purpose: its data stays whole and the next start adopts it.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './embedded-binaries.ts'
import { dataOf, logOf } from './embedded-cluster.ts'
import { EmbeddedError, EmbeddedInUse } from './embedded-error.ts'
import type { Place } from './embedded-place.ts'
import { lastLines, run, spawnOptions } from './embedded-process.ts'
import { type Claim, claim, type Endpoint, readEndpoint, type Session } from './embedded-session.ts'

export type Server = {
  place: Place
  binaries: Binaries
  password: string
  durable: boolean
  /** Where the server listens; null until it was started or adopted once. It stays the same for our lifetime. */
  endpoint: Endpoint | null
  child: ChildProcess | null
  log: (line: string) => void
}

const socketPathBytesMax = 100 // the kernel's limit is 108 on Linux and 104 on macOS
const socketDirectoryPrefix = 'causeway-socket-'
const pollMs = 10
const heldGraceMs = 1_000 // a holder that was just killed lets go within milliseconds
const refusedGraceMs = 10_000 // processes of a killed postmaster leave their memory within seconds
const relaunchPauseMs = 100
const answerTimeoutMs = 30_000
const recoveryTimeoutMs = 10 * 60_000 // a server that replays its log says so; killing it would only begin that again
const stopFastS = 30
const stopImmediateS = 10
const logBytesMax = 10 * 1024 * 1024

/** A refusal that goes away by itself when it is about a server that is shutting down or was just killed. */
const passingRefusal = /lock file ".*" already exists|is still in use|Is another postmaster/

/**
 * Brings the server up and takes its lock, whichever of "running and nobody's", "starting", "stopping" or "down" it is in.
 * `adopted`: it was running already.
 * @throws EmbeddedInUse, EmbeddedError `not_ours`, `failed`
 */
export async function bringUp(server: Server): Promise<{ session: Session; adopted: boolean }> {
  const begunAt = performance.now()
  const elapsedMs = () => performance.now() - begunAt
  let launch: Launch | null = null
  let launchedAt = Number.NEGATIVE_INFINITY
  try {
    for (;;) {
      const found = await tryClaim(server)
      if (found.state === 'claimed') {
        const adopted = launch === null || launch.ended() !== null
        if (!adopted || found.session.fsync === server.durable) return { session: found.session, adopted }
        server.log('The server that was left running has other durability settings: starting it again.')
        await shutDown(server, found.session)
        continue
      }
      if (found.state === 'held' && elapsedMs() > heldGraceMs) throw new EmbeddedInUse(server.place.home)
      if (elapsedMs() > (found.state === 'starting' ? recoveryTimeoutMs : answerTimeoutMs)) throw silent(server)
      const refusal = launch?.ended() ?? null
      if (refusal !== null && !(passingRefusal.test(refusal) && elapsedMs() < refusedGraceMs))
        throw refused(server, refusal)
      const mayLaunch = launch === null || (refusal !== null && performance.now() - launchedAt > relaunchPauseMs)
      if (found.state === 'absent' && mayLaunch) {
        launch = await launchServer(server)
        launchedAt = performance.now()
      }
      await sleep(pollMs)
    }
  } catch (error) {
    // Another start may have claimed the server that we launched: then it is theirs.
    if (!(error instanceof EmbeddedInUse)) await launch?.abandon()
    throw error
  }
}

async function tryClaim(server: Server): Promise<Claim> {
  const endpoint = readEndpoint(dataOf(server.place))
  return endpoint ? claim(endpoint, server.password) : { state: 'absent' }
}

type Launch = {
  /** What the server wrote when it ended; null while it runs. */
  ended(): string | null
  abandon(): Promise<void>
}

async function launchServer(server: Server): Promise<Launch> {
  const { place } = server
  const left = readEndpoint(dataOf(place))
  const endpoint = server.endpoint ?? (await chooseEndpoint(place))
  if (left && left.host !== endpoint.host) removeSocketDirectory(left.host, place)
  server.endpoint = endpoint
  const logFile = logOf(place)
  const logged = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (logged > logBytesMax) renameSync(logFile, `${logFile}.1`)
  const offset = logged > logBytesMax ? 0 : logged
  // A file, not a pipe: the server goes on writing when we are gone. Detached: Ctrl-C reaches us and not the server.
  const output = openSync(logFile, 'a', 0o600)
  const child = spawn(server.binaries.postgres, ['-D', dataOf(place), ...settings(endpoint, server.durable)], {
    ...spawnOptions(place.account),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  let end: string | null = null
  const written = () => readFileSync(logFile).subarray(offset).toString('utf8')
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end = error.message
      resolve()
    })
    child.once('exit', (code, signal) => {
      end = `${written()}(ended with ${signal ?? `code ${code}`})`
      resolve()
    })
  })
  child.unref()
  server.child = child
  const abandon = async () => {
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      if (end !== null) break
      child.kill(signal)
      await Promise.race([gone, sleep(5_000, undefined, { ref: false })])
    }
    removeSocketDirectory(endpoint.host, place)
  }
  return { ended: () => end, abandon }
}

/** Given on the command line, so that a new version of ours brings its settings to data that exists. */
function settings(endpoint: Endpoint, durable: boolean): string[] {
  const overTcp = !endpoint.host.startsWith('/')
  const values: Record<string, string> = {
    listen_addresses: overTcp ? endpoint.host : '',
    unix_socket_directories: overTcp ? '' : endpoint.host,
    unix_socket_permissions: '0700',
    port: String(endpoint.port),
    max_connections: '100',
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
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The socket lies with the data, which only we can enter, unless that path is too long for a socket. */
async function chooseEndpoint(place: Place): Promise<Endpoint> {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: await freePort() }
  const port = 5432 // only a part of the socket's name
  const fits = (directory: string) => Buffer.byteLength(join(directory, `.s.PGSQL.${port}`)) < socketPathBytesMax
  let host = join(place.cluster, 'socket')
  if (fits(host)) {
    mkdirSync(host, { recursive: true, mode: 0o700 })
  } else {
    const temporary = join(tmpdir(), `${socketDirectoryPrefix}XXXXXX`)
    host = mkdtempSync(join(fits(temporary) ? tmpdir() : '/tmp', socketDirectoryPrefix))
  }
  chmodSync(host, 0o700)
  if (place.account) chownSync(host, place.account.uid, place.account.gid)
  return { host, port }
}

/** Only one of ours, only when empty, and never through a link: the path may come from a file the server's user writes. */
function removeSocketDirectory(directory: string, place: Place): void {
  if (!basename(directory).startsWith(socketDirectoryPrefix)) return
  const info = lstatSync(directory, { throwIfNoEntry: false })
  if (!info?.isDirectory() || info.uid !== (place.account?.uid ?? process.getuid?.())) return
  try {
    rmdirSync(directory)
  } catch {
    // Not empty: a socket that a killed server left. The next start with this directory, or the system, removes it.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Stops the server whose lock `session` holds. It lets running statements go (fast), and if need be everything. */
export async function shutDown(server: Server, session: Session): Promise<void> {
  const data = dataOf(server.place)
  session.onLost(() => {})
  const stop = (mode: string, seconds: number) =>
    run(
      server.binaries.pgCtl,
      ['stop', '--pgdata', data, '--mode', mode, '--wait', '--timeout', String(seconds)],
      server.place.account,
      (seconds + 5) * 1000,
    )
  let outcome = await stop('fast', stopFastS)
  if (!outcome.ok && existsSync(join(data, 'postmaster.pid'))) outcome = await stop('immediate', stopImmediateS)
  await session.close()
  if (!outcome.ok && existsSync(join(data, 'postmaster.pid'))) {
    throw new EmbeddedError(
      'failed',
      `PostgreSQL did not stop: ${lastLines(outcome.output || String(outcome.error?.message))}`,
    )
  }
  await childGone(server.child)
  removeSocketDirectory(session.endpoint.host, server.place)
}

/** The lock file goes a moment before the process does. */
async function childGone(child: ChildProcess | null): Promise<void> {
  const deadline = performance.now() + 5_000
  while (child && child.exitCode === null && child.signalCode === null && performance.now() < deadline)
    await sleep(pollMs)
}

function refused(server: Server, words: string): EmbeddedError {
  const said = lastLines(words)
  if (!passingRefusal.test(words)) {
    return new EmbeddedError('failed', `PostgreSQL did not start (its log: ${logOf(server.place)}):\n${said}`)
  }
  const lockFile = join(dataOf(server.place), 'postmaster.pid')
  return new EmbeddedError(
    'not_ours',
    `PostgreSQL did not start, because the process named in ${lockFile} is alive, though nothing answers at its socket:\n${said}\n` +
      'If that process is a PostgreSQL, stop it. If it is something else that got the same number, remove that file.',
  )
}

function silent(server: Server): EmbeddedError {
  const log = logOf(server.place)
  const said = existsSync(log) ? lastLines(readFileSync(log, 'utf8')) : 'nothing'
  return new EmbeddedError(
    'not_ours',
    `PostgreSQL was started and does not answer. Its log, ${log}, ends with:\n${said}`,
  )
}
