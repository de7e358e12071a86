// The embedded PostgreSQL: a real server in a child process, so that nothing has to be installed. A server that outlived a
// crash of its parent is adopted by the next start on the same state directory.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareBinaries } from './binaries.ts'
import { dataOf, openCluster, removeAbandonedStarts, removeSetAside, setAside, superuser } from './cluster.ts'
import { asEmbeddedError, EmbeddedError, EmbeddedInUse } from './error.ts'
import { checkPointer, isUnclaimed, locate, type Place, removePointer, writePointer } from './place.ts'
import { bringUp, orderStop, type Server, shutDown } from './server.ts'
import { database, type Session } from './session.ts'
import { removeSocketDirectory } from './socket.ts'

export type EmbeddedOptions = {
  /** The state directory; made if it does not exist. */
  home: string
  log?: (line: string) => void
  /** The bin directory of an installed PostgreSQL, instead of the npm package's: for tests. */
  binaries?: string | undefined
  /** false gives up safety against power loss for speed: for tests. */
  durable?: boolean
  /**
   * Root's database after its state directory was removed. `use` (default): keep using it, because its secrets may come from the
   * environment. `setAside`: rename it and create a new one.
   */
  unclaimed?: 'use' | 'setAside'
}

export type EmbeddedPostgres = {
  /** `host` is a socket directory, or 127.0.0.1 on Windows. */
  connection: { host: string; port: number; username: string; password: string; database: string }
  /** true when a server that outlived its parent was taken over. */
  adopted: boolean
  /** The current path of the database of a removed state directory. */
  setAside: string | null
  version: string
  /** Stops restarting a server that exits; a restart under way is given up. */
  beginShutdown(): void
  /** Ends every connection. Repeats are harmless. @throws EmbeddedError when the server would not stop */
  stop(): Promise<void>
}

/**
 * Milliseconds between restarts of a server that exited, doubled each time: the cause, such as a full disk, may go away. After
 * `steady` milliseconds of uptime, the first delay applies again.
 */
const revivalMs = { first: 100, most: 5_000, steady: 60_000 }

/**
 * Creates the database on the first start, starts the server, and holds it until `stop`. Restarts a server that exits, with the
 * same connection.
 * @throws EmbeddedInUse, EmbeddedError
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    throw asEmbeddedError(error)
  }
}

async function start({
  home,
  log = () => {},
  binaries: given,
  durable = true,
  unclaimed = 'use',
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = locate(home)
  checkPointer(place)
  mkdirSync(place.home, { recursive: true, mode: 0o700 })
  const aside = unclaimed === 'setAside' && isUnclaimed(place) ? await stopAndSetAside(place) : null
  const binaries = await prepareBinaries(place, given)
  const password = await openCluster(place, binaries, durable)
  const server: Server = { place, binaries, password, durable, endpoint: null, launch: null, log }
  const { session, adopted } = await bringUp(server)
  try {
    removeAbandonedStarts(place)
    writePointer(place)
  } catch (error) {
    await shutDown(server, session)
    throw error
  }
  log(`PostgreSQL ${session.version} ${adopted ? 'was already running' : 'started'} (${dataOf(place)})`)
  return {
    connection: { ...session.endpoint, username: superuser, password, database },
    adopted,
    setAside: aside,
    version: session.version,
    ...keepUp(server, session),
  }
}

async function stopAndSetAside(place: Place): Promise<string | null> {
  await stopLeftServer(place)
  return setAside(place)
}

/** Restarts the server when it exits, until the shutdown begins. */
function keepUp(server: Server, first: Session): Pick<EmbeddedPostgres, 'beginShutdown' | 'stop'> {
  const ending = new AbortController()
  let current: Session | null = first
  let reviving = Promise.resolve()
  let failures = 0
  let steadyFromMs = 0
  let stopped: Promise<void> | null = null

  const revive = async (): Promise<void> => {
    current = null
    if (performance.now() >= steadyFromMs) failures = 0
    while (!ending.signal.aborted) {
      const pauseMs = failures === 0 ? 0 : Math.min(revivalMs.most, revivalMs.first * 2 ** (failures - 1))
      await pause(pauseMs, null, { signal: ending.signal }).catch(() => {})
      failures += 1
      server.launch = null
      server.log('PostgreSQL exited, restarting')
      try {
        current = (await bringUp(server, ending.signal)).session
        steadyFromMs = performance.now() + revivalMs.steady
        return watch(current)
      } catch (error) {
        if (!ending.signal.aborted) server.log(`PostgreSQL not restarted: ${asEmbeddedError(error).message}`)
      }
    }
    server.log('PostgreSQL not restarted, shutdown in progress')
  }
  const watch = (session: Session): void => {
    session.onLost(() => {
      if (!ending.signal.aborted) reviving = revive()
    })
  }
  // A process that ends by a fault, or at a second signal, leaves no server running; only a killed one does.
  const stopAtExit = () => {
    if (current) orderStop(server)
  }
  process.once('exit', stopAtExit)
  const stop = async () => {
    ending.abort()
    await reviving
    if (current) await shutDown(server, current)
    else if (server.endpoint) removeSocketDirectory(server.endpoint.host, server.place)
    process.off('exit', stopAtExit)
  }

  watch(first)
  return {
    beginShutdown: () => ending.abort(),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/**
 * Removes the database of a state directory for good. A server that a crash left running is stopped first.
 * @throws EmbeddedInUse, EmbeddedError `not_ours` when something still works, or may work, with it
 */
export async function forgetEmbedded(home: string): Promise<void> {
  try {
    const place = locate(home)
    await stopLeftServer(place)
    removeAbandonedStarts(place)
    removeSetAside(place)
    rmSync(place.cluster, { recursive: true, force: true })
    removePointer(place)
  } catch (error) {
    throw asEmbeddedError(error)
  }
}

/** Adopts and stops a server that was left, or lets one that was killed tidy up after itself. */
async function stopLeftServer(place: Place): Promise<void> {
  if (!existsSync(join(dataOf(place), 'postmaster.pid'))) return
  const wasUnclaimed = isUnclaimed(place)
  try {
    const left = await startEmbedded({ home: place.home })
    await left.stop()
  } catch (error) {
    const mayRun = error instanceof EmbeddedInUse || (error instanceof EmbeddedError && error.reason === 'not_ours')
    if (mayRun) throw error // otherwise the server cannot start, and its data can be deleted
  } finally {
    if (wasUnclaimed) removePointer(place)
  }
}
