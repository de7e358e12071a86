// The sandbox for tests: started in the test's own process, or as a process where a test is about signals, flags or a
// crash. Callers for its wire and its control commands, and waiting for a condition with a deadline.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { type SandboxOptions, startSandbox as start } from '../src/app/sandbox.ts'
import type { Body } from './answers.ts'

/** In a run of all tests its bundle, which loads in half the time. */
const bin = process.env['CAUSEWAY_TEST_SANDBOX'] ?? join(import.meta.dirname, '../bin/sandbox.js')
const deadlineMs = 10_000
const pollMs = 5

export type Answer = { status: number; body: Body }

export type CallOptions = {
  body?: unknown
  /** By default a new key for each POST; null sends no key. */
  key?: string | null
  headers?: Record<string, string>
}

export type Caller = (method: string, path: string, options?: CallOptions) => Promise<Answer>

export type Provider = {
  url: string
  apiKey: string
  /** `path` under /v0. */
  wire: Caller
  /** `path` under /_sandbox. */
  control: Caller
  /** `path` under /inbox. */
  inbox: Caller
}

export type Sandbox = Provider & {
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type SandboxProcess = Provider & {
  child: ChildProcess
  /** Sends the signal and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>
  [Symbol.asyncDispose](): Promise<void>
}

/** Returns callers for a sandbox that listens at `url`. */
const providerAt = (url: string, apiKey: string): Provider => {
  const send = async (method: string, address: string, headers: Record<string, string>, body: unknown) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}${address}`, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    url,
    apiKey,
    wire: (method, path, { body, key = method === 'POST' ? randomUUID() : null, headers = {} } = {}) => {
      const idempotency = key === null ? {} : { 'idempotency-key': key }
      return send(method, `/v0${path}`, { 'api-key': apiKey, ...idempotency, ...headers }, body)
    },
    control: (method, path, { body, headers = {} } = {}) => send(method, `/_sandbox${path}`, headers, body),
    inbox: (method, path, { body, headers = {} } = {}) => send(method, `/inbox${path}`, headers, body),
  }
}

/** Starts a sandbox in this process. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { url, apiKey, close } = await start(options)
  return { ...providerAt(url, apiKey), stop: close, [Symbol.asyncDispose]: close }
}

/** Starts a sandbox as a separate process. */
export const startProcess = async (...flags: string[]): Promise<SandboxProcess> => {
  const child = spawn(process.execPath, [bin, '--port', '0', ...flags], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const line = once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(deadlineMs) })
  const [first] = await Promise.race([line, exited.then(([code]) => assert.fail(`the sandbox exited with ${code}`))])
  const ready = JSON.parse(String(first))
  const stop: SandboxProcess['stop'] = async (signal = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const [code, by] = await exited
    return { code, signal: by }
  }
  return {
    ...providerAt(ready.url, ready.apiKey),
    child,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  }
}

/** Runs the command line to its end. */
export const runToExit = async (
  ...flags: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const child = spawn(process.execPath, [bin, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const closed = once(child, 'close', { signal: AbortSignal.timeout(deadlineMs) })
  const [code] = await closed.catch(() => {
    child.kill('SIGKILL')
    return assert.fail(`the process has not ended: ${stdout}${stderr}`)
  })
  return { code, stdout, stderr }
}

/** Polls until `probe` returns a value, and returns the value. */
export const until = async <Found>(
  what: string,
  probe: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> => {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    const found = await probe()
    if (found !== undefined && found !== false) return found
    if (Date.now() > deadline) assert.fail(`waited in vain until ${what}`)
    await pause(pollMs)
  }
}

/** Makes a directory that is removed with the test. */
export const stateDirectory = async (): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-state-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
