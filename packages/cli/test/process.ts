// Runs the command line as a separate process, or within the process of a test if nothing depends on a process.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { forgetEmbedded } from '../../embedded-postgres/src/embedded.ts'
import type { Terminal } from '../src/command.ts'
import { runCommandLine } from '../src/command-line.ts'

/** The program to start: in a run of all tests the bundle, which loads in a third of the time. */
export const entry = process.env['CAUSEWAY_TEST_CLI'] ?? resolve(import.meta.dirname, '../bin/causeway.js')
const runMsMax = 60_000

export type Ended = { code: number | null; stdout: string; stderr: string }

export type CliProcess = {
  pid: number
  output(): Ended
  /** Waits until standard output holds `text`. @throws Error with all it said when it ends before */
  says(text: string): Promise<void>
  signal(name: NodeJS.Signals): void
  ended: Promise<Ended>
}

/** Only what is named reaches it, so that a developer's own settings decide nothing. */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = tmpdir(),
): CliProcess {
  const { PATH = '', TMPDIR } = process.env
  const child: ChildProcess = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { PATH, ...(TMPDIR === undefined ? {} : { TMPDIR }), BUILD_PAGES: 'never', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: runMsMax,
  })
  const said = { stdout: '', stderr: '' }
  let heard = (): void => {}
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      said[name] += chunk.toString()
      heard()
    })
  }
  const output = (): Ended => ({ code: child.exitCode, ...said })
  const ended = new Promise<Ended>((done) => child.once('close', () => done(output())))
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    signal: (name) => void child.kill(name),
    async says(text) {
      const spoken = new Promise<void>((done) => {
        heard = () => said.stdout.includes(text) && done()
        heard()
      })
      await Promise.race([spoken, ended])
      if (!said.stdout.includes(text)) throw new Error(`it ended without saying "${text}": ${JSON.stringify(output())}`)
    },
  }
}

export const runCli = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Ended> => startCli(args, env, cwd).ended

type Keyboard = { input?: string; isInteractive?: boolean; columns?: number; hasColor?: boolean; ask?: Terminal['ask'] }

/** Runs a command within this process, on nothing but the environment that is given. */
export const callCli = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  keyboard: Keyboard = {},
): Promise<Ended> => beginCli(args, env, keyboard).ended

export type RunningCommand = AsyncDisposable & Omit<CliProcess, 'pid' | 'signal'> & { interrupt(): void }

/** Begins a command within this process: one that runs until it is interrupted, at the latest when it is disposed of. */
export function beginCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { input = '', isInteractive = false, columns, hasColor = false, ask }: Keyboard = {},
): RunningCommand {
  const said = { stdout: '', stderr: '' }
  let heard = (): void => {}
  const writer = (name: keyof typeof said) => (text: string) => {
    said[name] += `${text}\n`
    heard()
  }
  const interrupt = new AbortController()
  const ended = runCommandLine(args, env, {
    print: writer('stdout'),
    complain: writer('stderr'),
    isInteractive,
    ...(columns !== undefined && { columns }),
    hasColor,
    readInput: async () => Buffer.from(input),
    signal: interrupt.signal,
    ...(ask && { ask }),
  }).then((code) => ({ code, ...said }))
  return {
    ended,
    interrupt: () => interrupt.abort(),
    async [Symbol.asyncDispose]() {
      interrupt.abort()
      await ended
    },
    output: () => ({ code: null, ...said }),
    async says(text) {
      const has = (): boolean => (said.stdout + said.stderr).includes(text)
      const spoken = new Promise<void>((done) => {
        heard = () => has() && done()
        heard()
      })
      await Promise.race([spoken, ended])
      if (!has()) throw new Error(`it ended without saying "${text}": ${JSON.stringify(said)}`)
    },
  }
}

/** A state folder that is forgotten, its database with it. */
export async function stateFolder(): Promise<AsyncDisposable & { path: string }> {
  const base = process.env['CAUSEWAY_TEST_HOMES'] ?? tmpdir()
  await mkdir(base, { recursive: true })
  const path = await mkdtemp(join(base, 'causeway-cli-'))
  return {
    path,
    async [Symbol.asyncDispose]() {
      await forgetEmbedded(path)
      await rm(path, { recursive: true, force: true })
    },
  }
}

/** The process and all that descend from it. */
export function familyOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
  const family = [pid]
  for (const member of family)
    family.push(...pairs.filter(([, parent]) => parent === member).map(([child = 0]) => child))
  return family
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
