// A part of the bench in a separate process, so that parts compete for a core as in production. The bench starts it, calls it by
// name over the IPC channel of the process, and ends it.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The functions of a part. Numbers, texts, lists, buffers and objects of them can cross the channel. */
export type Calls = Readonly<Record<string, (input: never) => Promise<unknown>>>

export type Remote<C extends Calls> = AsyncDisposable & {
  call<K extends keyof C & string>(name: K, ...input: Parameters<C[K]>): ReturnType<C[K]>
}

type Call = { id: number; name: string; input: unknown }
type Answer = { id: number; result?: unknown; error?: string }

const endMsMax = 5_000

/** @param entry module in this folder, which calls `answerCalls` */
export function startRemote<C extends Calls>(entry: string, nodeArgs: readonly string[] = []): Remote<C> {
  // Logs go where nobody reads them, but they are written: that is part of the work.
  const child = fork(fileURLToPath(new URL(entry, import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning', ...nodeArgs],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  child.on('message', ({ id, result, error }: Answer) => {
    const waiting = open.get(id)
    open.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(`${entry}: ${error}`))
  })
  child.on('exit', (code, signal) => {
    for (const waiting of open.values()) waiting.reject(new Error(`${entry} ended (${signal ?? code})`))
  })
  return {
    call(name, ...[input]) {
      lastId += 1
      const waiting = Promise.withResolvers<unknown>()
      open.set(lastId, waiting)
      child.send({ id: lastId, name, input } satisfies Call)
      return waiting.promise as ReturnType<C[typeof name]> // by the agreement of both sides
    },
    [Symbol.asyncDispose]: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), endMsMax)
  child.disconnect()
  await exited
  clearTimeout(late)
}

/** The other side. @param close what to end before the process does */
export function answerCalls(calls: Calls, close: () => Promise<void> = async () => {}): void {
  process.on('message', ({ id, name, input }: Call) => {
    const work = calls[name] as ((input: unknown) => Promise<unknown>) | undefined
    void Promise.resolve(work?.(input))
      .then((result): Answer => ({ id, result }))
      .catch((error: unknown): Answer => ({ id, error: error instanceof Error ? String(error.stack) : String(error) }))
      .then((answer) => process.connected && process.send?.(answer))
  })
  // Also when the one who called is killed.
  process.on('disconnect', () => void close().finally(() => process.exit(0)))
  // A Ctrl-C reaches the whole group: the one who called ends us.
  process.on('SIGINT', () => {})
}
