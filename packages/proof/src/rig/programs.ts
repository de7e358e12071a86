// Programs of Debian's packages, run by a proof: found or named with their package, started as a user whom PostgreSQL accepts,
// their output kept, and ended with the proof however it ends.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chmodSync, chownSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { atProcessEnd } from './exit.ts'

const places = [
  '/usr/lib/postgresql/15/bin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/go/bin',
]

/** A program is not installed. Its message is the one line that a proof ends with. */
export class MissingProgram extends Error {}

/**
 * @param debianPackage what to install where the program lacks
 * @returns its path
 * @throws MissingProgram
 */
export function requireProgram(name: string, debianPackage: string): string {
  const path = places.map((place) => join(place, name)).find(isExecutable)
  if (path === undefined) throw new MissingProgram(`${name} is missing: apt-get install ${debianPackage}`)
  return path
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type Account = { uid: number; gid: number }

/** @returns whom programs run as that refuse root: the user postgres; null when we are not root */
export function programAccount(): Account | null {
  if (process.getuid?.() !== 0) return null
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name === 'postgres') return { uid: Number(uid), gid: Number(gid) }
  }
  throw new MissingProgram('the user postgres is missing: apt-get install postgresql-common')
}

export type Home = AsyncDisposable & {
  path: string
  /** Makes a folder of the programs' user in the home. @returns its path */
  folder(name: string): string
}

/** A folder for the files of programs, which their user can reach. */
export function openHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'causeway-programs-'))
  const account = programAccount()
  const give = (directory: string, mode: number): string => {
    chmodSync(directory, mode) // the umask may have taken away what that user needs
    if (account) chownSync(directory, account.uid, account.gid)
    return directory
  }
  give(path, 0o755)
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  const forget = atProcessEnd(remove)
  return {
    path,
    folder(name) {
      const directory = join(path, name)
      mkdirSync(directory)
      return give(directory, 0o700)
    },
    async [Symbol.asyncDispose]() {
      forget()
      remove()
    },
  }
}

export type ProgramStart = {
  file: string
  args: readonly string[]
  /** Added to a minimal environment. */
  env?: Readonly<Record<string, string>>
  /** Runs as we do, root among it; by default as `programAccount` says. */
  asOurselves?: boolean
  /** By default "/": ours may be closed to the user. */
  cwd?: string
  /** Of `runProgram`: when it is ended. */
  timeoutMs?: number
  /** Of `startProgram`: gets each line that the program writes. */
  hear?: (line: string) => void
}

function optionsOf({ env = {}, asOurselves = false, cwd = '/' }: ProgramStart) {
  const account = asOurselves ? null : programAccount()
  return { cwd, env: { LC_ALL: 'C', TZ: 'UTC', PATH: places.join(':'), ...env }, ...(account ?? {}) }
}

const runMsMax = 120_000

/** Runs a program to its end. @returns what it wrote @throws Error with what it wrote, unless it ended with 0 */
export function runProgram(start: ProgramStart): Promise<string> {
  const options = { ...optionsOf(start), timeout: start.timeoutMs ?? runMsMax, maxBuffer: 16 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(start.file, start.args, options, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`
      if (error) reject(new Error(`${start.file} ${start.args.join(' ')}: ${error.message}\n${said}`))
      else resolve(said)
    })
  })
}

export type Program = AsyncDisposable & {
  name: string
  pid: number
  isRunning(): boolean
  /** Resolves with its exit code; null when a signal ended it. */
  ended: Promise<number | null>
  /** The end of what it wrote. */
  log(): string
  signal(name: NodeJS.Signals): void
  /** SIGTERM, and SIGKILL to it and all it started when it has not ended in time. */
  stop(): Promise<void>
}

const logCharsMax = 40_000
const stopMsMax = 10_000
const running = new Set<ChildProcess>()

/** Starts a long-running program, in a separate process group. */
export function startProgram(name: string, start: ProgramStart): Program {
  const child = spawn(start.file, start.args, {
    ...optionsOf(start),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let written = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written = (written + chunk.toString()).slice(-logCharsMax)
    })
    if (start.hear) createInterface({ input: stream }).on('line', start.hear)
  }
  const ended = once(child, 'exit').then(
    () => {
      running.delete(child)
      return child.exitCode
    },
    (error: Error) => {
      running.delete(child)
      written += error.message
      return null
    },
  )
  const isRunning = (): boolean => running.has(child)
  const stop = async (): Promise<void> => {
    if (!isRunning()) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const grace = new AbortController()
    const late = delay(stopMsMax, 'late', { signal: grace.signal }).catch(() => null)
    if ((await Promise.race([ended, late])) === 'late') killGroup(child)
    grace.abort()
    await ended
  }
  return {
    name,
    pid: child.pid ?? 0,
    isRunning,
    ended,
    log: () => written,
    signal: (signal) => void child.kill(signal),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

// The group may contain children of the program.
atProcessEnd(() => {
  for (const child of running) killGroup(child)
})

/**
 * Waits for a condition of a program's life.
 * @throws Error with the end of the program's log when it has ended, or time is over
 */
export async function untilProgram(
  what: string,
  program: Pick<Program, 'name' | 'isRunning' | 'log'>,
  holds: () => Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await holds().catch(() => false))) {
    const problem = !program.isRunning() ? 'ended' : performance.now() > deadline ? `took over ${limitMs} ms` : null
    if (problem) throw new Error(`${program.name} ${problem} before it ${what}:\n${program.log().slice(-4_000)}`)
    await delay(100)
  }
}

let ending: Promise<never> | null = null

/** SIGINT and SIGTERM end what the stack holds, and then the process. */
export function endOnSignals(stack: AsyncDisposableStack): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => {
      ending = stack
        .disposeAsync()
        .catch(() => {})
        .then(() => process.exit(code))
    })
}

/** Runs a proof. One that lacks a program ends with exit code 1 and the line that names its package. */
export async function runProof(script: string, prove: () => Promise<void>): Promise<void> {
  try {
    await prove()
  } catch (error) {
    if (ending) return await ending // what the proof used was taken away beneath it
    console.error(error instanceof MissingProgram ? `${script}: ${error.message}` : error)
    process.exit(1) // otherwise the load would continue
  }
}
