// One server that will be killed, for its parent: preload, start, watch, kill.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Passed, Said } from './probe.ts'
import type { Told } from './victim.ts'

export type LoopArms = { name: string; at: string | null }

export type ServerProcess = {
  /** @throws Error when it does not come up */
  go(database: ConnectionOptions, env: Record<string, string>, loop: LoopArms | null): Promise<void>
  arm(loop: LoopArms): void
  /** Resolves when the watched work with this name is at its point. */
  reached(name: string): Promise<void>
  /** The points that were passed so far under this name. */
  passed(name: string): Promise<Passed[]>
  /** Continues the work with this name from its point. Resolves when the work has ended. */
  thaw(name: string): Promise<void>
  kill(): Promise<void>
  /** Lets it exit normally, before its start. */
  end(): Promise<void>
}

const entry = new URL('./victim.ts', import.meta.url)
const hook = new URL('./hook.ts', import.meta.url)

/** The sources of all servers of a run, as `writeSources` wrote them, and the folder of V8's compiled code. */
export type Sources = { file: string; compiled: string }

export function loadServer(sources: Sources): ServerProcess {
  const child = fork(entry, [sources.file, sources.compiled], {
    execArgv: ['--import', hook.href],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const marks = new Map<string, PromiseWithResolvers<void>>()
  const lists = new Map<string, PromiseWithResolvers<Passed[]>>()
  const mark = (name: string) => entryOf(marks, name)

  child.on('message', (said: Said) => {
    if ('reached' in said) mark(`reached ${said.reached}`).resolve()
    else if ('passed' in said) entryOf(lists, said.passed).resolve(said.points)
    else if ('ended' in said) mark(`ended ${said.ended}`).resolve()
    else mark('up' in said ? 'up' : 'loaded').resolve()
  })
  const unlessEnded = <T>(awaited: Promise<T>): Promise<T> =>
    Promise.race([awaited, exited.then(() => Promise.reject(new Error('the server ended by itself')))])

  return {
    async go(database, env, loop) {
      await unlessEnded(mark('loaded').promise)
      tell(child, { go: { database, env, loop } })
      await unlessEnded(mark('up').promise)
    },
    arm: (loop) => tell(child, { arm: loop }),
    reached: (name) => mark(`reached ${name}`).promise,
    async passed(name) {
      lists.delete(name)
      tell(child, { tell: name })
      return await unlessEnded(entryOf(lists, name).promise)
    },
    async thaw(name) {
      tell(child, { thaw: name })
      await unlessEnded(mark(`ended ${name}`).promise)
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async end() {
      await unlessEnded(mark('loaded').promise)
      child.disconnect()
      await exited
    },
  }
}

function tell(child: ChildProcess, told: Told): void {
  child.send(told)
}

function entryOf<T>(map: Map<string, PromiseWithResolvers<T>>, name: string): PromiseWithResolvers<T> {
  const known = map.get(name) ?? Promise.withResolvers<T>()
  map.set(name, known)
  return known
}
