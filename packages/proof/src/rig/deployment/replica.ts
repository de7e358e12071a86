// A replica of Causeway: a process that dies, stops, freezes, and returns at the same address.

import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../ports.ts'
import { type Program as Process, startProgram } from '../programs.ts'
import type { Program, Replica, Settings } from '../world.ts'

export type ReplicaStart = { program: Program; args: readonly string[]; settings: Settings }

/** Needs of the world in addition to those of a proof. */
export type StartedReplica = Replica &
  AsyncDisposable & {
    /** Thaws it, and starts it if it is down. */
    heal(): Promise<void>
    /** Ends that nobody ordered. */
    unexpectedEnds(): readonly string[]
  }

const logMessagesMax = 10
const upMsMax = 60_000
const startTriesMax = 60
const startPauseMs = 250

export async function startReplica(name: string, start: ReplicaStart): Promise<StartedReplica> {
  const port = await freePort()
  const messages = new Map<string, string[]>()
  const unexpectedEnds: string[] = []
  let current = start
  let isOrdered = false
  let starting: Promise<void> | null = null
  let running: Process | null = null

  const launch = async (): Promise<void> => {
    const started = await launchServer(name, port, current, messages, (process) => {
      running = process
    })
    isOrdered = false
    void started.ended.then((code) => {
      if (!isOrdered) unexpectedEnds.push(`${name} ended with ${code}: ${started.log().slice(-500)}`)
    })
  }
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    isOrdered = true
    if (!running?.isRunning()) return null
    running.signal(signal)
    return await running.ended
  }
  const kill = async (): Promise<void> => void (await end('SIGKILL'))
  const startAgain = async (): Promise<void> => {
    await starting
    starting = end('SIGKILL')
      .then(() => despiteOutages(launch))
      .finally(() => (starting = null))
    await starting
  }

  await launch()
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    pid: () => running?.pid ?? 0,
    kill,
    async terminate(limitMs) {
      const limit = limitMs === undefined ? undefined : setTimeout(() => running?.signal('SIGKILL'), limitMs)
      return await end('SIGTERM').finally(() => clearTimeout(limit))
    },
    freeze: () => running?.signal('SIGSTOP'),
    thaw: () => running?.signal('SIGCONT'),
    async restart({ program = current.program, settings = {} } = {}) {
      current = { ...current, program, settings: { ...current.settings, ...settings } }
      await startAgain()
    },
    async heal() {
      running?.signal('SIGCONT')
      await starting
      if (!running?.isRunning()) await startAgain()
    },
    logged: (message) => messages.get(message) ?? [],
    unexpectedEnds: () => unexpectedEnds,
    [Symbol.asyncDispose]: kill,
  }
}

/** Starts `causeway serve` and waits until it listens. @param begin gets the process at once, so that it can be ended before */
async function launchServer(
  name: string,
  port: number,
  { program: [file, ...before], args, settings }: ReplicaStart,
  messages: Map<string, string[]>,
  begin: (process: Process) => void,
): Promise<Process> {
  const up = Promise.withResolvers<'up'>()
  const started = startProgram(name, {
    file,
    args: [...before, 'serve', ...args],
    env: { ...settings, PORT: String(port) },
    asOurselves: true,
    hear(line) {
      if (/listens on http/.test(line)) up.resolve('up')
      note(messages, line)
    },
  })
  begin(started)
  const late = new AbortController()
  const limit = delay(upMsMax, 'late', { signal: late.signal }).catch(() => 'late')
  const outcome = await Promise.race([up.promise, started.ended, limit])
  late.abort()
  if (outcome === 'up') return started
  started.signal('SIGKILL')
  await started.ended
  throw new Error(`${name} did not start:\n${started.log().slice(-4_000)}`)
}

/** Keeps the first lines of each message. */
function note(messages: Map<string, string[]>, line: string): void {
  const message = /"message":"([^"]*)"/.exec(line)?.[1]
  if (message === undefined) return
  const lines = messages.get(message) ?? []
  messages.set(message, lines)
  if (lines.length < logMessagesMax) lines.push(line)
}

/** A server does not start without its database: its supervisor tries again. */
async function despiteOutages(launch: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await launch()
    } catch (error) {
      if (tries === startTriesMax) throw error
      await delay(startPauseMs)
    }
  }
}
