// A child process that speaks in lines of JSON: the receivers of the proofs, which must share neither event loop nor
// database with what they judge.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type LineProcess<Line> = AsyncDisposable & {
  /** The first line that the process printed. */
  ready: Line
  /** Writes a line of JSON to its standard input. */
  tell(line: object): void
}

/**
 * @param hear gets every line but the first, in order
 * @param leadsSession makes the process a session leader, so that it can have its own priority
 * @throws Error when it ends before its first line
 */
export async function startLineProcess<Line>(
  entry: URL,
  args: readonly string[],
  hear: (line: Line) => void = () => {},
  { leadsSession = false } = {},
): Promise<LineProcess<Line>> {
  // Its standard input is the sign of our life: it ends when that does, however we end.
  const child = spawn(process.execPath, [entry.pathname, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: leadsSession,
  })
  child.stdin.on('error', () => {}) // it ended
  const exited = once(child, 'exit')
  const first = Promise.withResolvers<Line>()
  let isReady = false
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    if (isReady) return hear(line)
    isReady = true
    first.resolve(line)
  })
  const ready = await Promise.race([
    first.promise,
    exited.then(() => Promise.reject(new Error(`${entry.pathname} ended before it was ready`))),
  ])
  return {
    ready,
    tell: (line) => void child.stdin.write(`${JSON.stringify(line)}\n`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** For the child: says a line. */
export function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** For the child: ends the process when its parent ends. */
export function endWithParent(): void {
  process.stdin.resume().on('end', () => process.exit(0))
}

/** For the child: hears each line of its parent, and ends the process when its parent ends. */
export function listenToParent(hear: (line: unknown) => void): void {
  createInterface({ input: process.stdin })
    .on('line', (text) => hear(JSON.parse(text)))
    .on('close', () => process.exit(0))
}
