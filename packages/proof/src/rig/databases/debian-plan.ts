// Debian's PostgreSQL as the database of a world, with what its options add to the handle.

import { openHome } from '../programs.ts'
import { openArchive, restoreTo, takeBaseBackup, takeDump, untilArchived } from './backups.ts'
import type { Backups, Clock, DatabasePlan, Disk, Killable } from './database.ts'
import { type DebianPostgres, startDebianPostgres } from './debian.ts'
import { askOn } from './session.ts'
import { mountSmallDisk } from './small-disk.ts'
import { makeSteppedClock } from './stepped-clock.ts'
import { supervise } from './supervisor.ts'

/** `diskMb`: on a filesystem of that size. `supervised`: restarted when it exits unexpectedly. `archive`: keeps its WAL. */
export type DebianOptions = { settings?: Readonly<Record<string, string>>; supervised?: boolean }
type Options = DebianOptions & { diskMb?: number; clock?: true; archive?: true }

export function debianPostgres(options: DebianOptions & { diskMb: number }): DatabasePlan<Killable & { disk: Disk }>
export function debianPostgres(options: DebianOptions & { clock: true }): DatabasePlan<Killable & { clock: Clock }>
export function debianPostgres(options: DebianOptions & { archive: true }): DatabasePlan<Killable & Backups>
export function debianPostgres(options?: DebianOptions): DatabasePlan<Killable>
export function debianPostgres(options: Options = {}): DatabasePlan<Killable> {
  return { needs: [['postgres', 'postgresql-15']], open: (stack) => open(options, stack) }
}

async function open(options: Options, stack: AsyncDisposableStack): Promise<Killable> {
  const home = stack.use(openHome())
  const disk = options.diskMb === undefined ? null : stack.use(await mountSmallDisk(options.diskMb))
  const clock = options.clock ? makeSteppedClock(home, 'database') : null
  const archive = options.archive ? openArchive(home) : null
  let server = await startDebianPostgres({
    settings: { ...archive?.settings, ...options.settings },
    ...(disk && { dataFolder: disk.folder('data') }),
    ...(clock && { env: clock.env }),
  })
  stack.defer(() => server[Symbol.asyncDispose]())
  const { url, connection } = server
  const watch = stack.use(watchEnds(server, options.supervised ?? false))
  const start = async (): Promise<void> => {
    if (!server.isRunning()) await watch.start(server)
  }
  const handle: Killable = {
    url,
    ask: (sql, values) => askOn(url, sql, values),
    ends: watch.ends,
    kill: (death = 'crash') => watch.expect(() => (death === 'crash' ? server.kill() : server.stop('immediate'))),
    start,
    async heal() {
      await disk?.free()
      clock?.stepTo(0)
      await start()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  const backups: Backups | null = archive && {
    baseBackup: () => takeBaseBackup(server, home),
    async restoreTo(time, backup) {
      await watch.expect(() => server.stop('immediate'))
      server = await restoreTo(time, { connection }, { backup, archive })
    },
    archived: () => untilArchived(url),
    dump: (counted) => takeDump(connection, home, counted),
  }
  return Object.assign(handle, disk && { disk }, clock && { clock }, backups)
}

type Watch = AsyncDisposable & {
  /** How often the server ended and nobody had ordered it. */
  ends(): number
  /** Ends the server by order. */
  expect(end: () => Promise<void>): Promise<void>
  start(server: DebianPostgres): Promise<void>
}

const supervisedStartMsMax = 60_000

function watchEnds(first: DebianPostgres, isSupervised: boolean): Watch {
  const supervisor = isSupervised ? supervise(first) : null
  let [ordered, ends, isOrdered] = [0, 0, false]
  const look = (server: DebianPostgres): void => {
    if (supervisor) return
    void server.ended().then(() => {
      if (!isOrdered) ends += 1
    })
  }
  look(first)
  return {
    ends: () => (supervisor ? supervisor.ends() - ordered : ends),
    async expect(end) {
      ordered += 1
      isOrdered = true
      await end()
    },
    async start(server) {
      if (supervisor) {
        const deadline = performance.now() + supervisedStartMsMax
        while (!(await askOn(server.url, 'select 1').catch(() => null))) {
          if (performance.now() > deadline) throw new Error('the supervisor did not start PostgreSQL')
          await new Promise((over) => setTimeout(over, 100))
        }
        return
      }
      await server.start()
      isOrdered = false
      look(server)
    },
    async [Symbol.asyncDispose]() {
      isOrdered = true
      await supervisor?.[Symbol.asyncDispose]()
    },
  }
}
