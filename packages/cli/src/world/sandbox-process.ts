// The sandbox provider as a separate process: start, wait, stop. The process exits when its parent dies.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'

export type Provider = { url: string; apiKey: string }
export type Emulator = Provider & { stop(): Promise<void> }
export type SandboxProcess = Emulator & { pid: number }

const entry = fileURLToPath(new URL('../../../sandbox/bin/sandbox.js', import.meta.url))
const readyMsMax = 20_000
const stopMsMax = 3_000

/** @throws Error with the output of the sandbox provider if the start fails */
export async function startSandboxProcess(options: {
  port: number
  stateDir?: string
  args?: readonly string[]
}): Promise<SandboxProcess> {
  const state = options.stateDir === undefined ? [] : ['--state', options.stateDir]
  const child = spawn(
    process.execPath,
    [entry, '--port', String(options.port), '--exit-with-parent', ...state, ...(options.args ?? [])],
    // A separate process group: Ctrl-C reaches only the parent, which stops the sandbox after its last responses.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  )
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000)
  })
  const exited = once(child, 'exit')
  const closed = once(child, 'close')
  closed.catch(() => {}) // `exited` reports the same failure
  const timer = setTimeout(() => child.kill('SIGKILL'), readyMsMax)
  try {
    const ready = await Promise.race([readyLine(child.stdout), exited.then(() => null)])
    if (ready === null) {
      await closed // output can arrive after the exit
      throw new Error(refusalText(complaint.trim(), options.port))
    }
    return {
      ...ready,
      pid: child.pid ?? 0,
      async stop() {
        const kill = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
        child.kill('SIGTERM')
        await exited
        clearTimeout(kill)
      },
    }
  } finally {
    clearTimeout(timer)
  }
}

function refusalText(complaint: string, port: number): string {
  if (complaint.includes('is in use: choose another'))
    return `Port ${port} is already in use. Set SANDBOX_PORT to another port; 0 picks a free one.`
  return `The sandbox provider did not start. ${complaint}`
}

async function readyLine(stdout: NodeJS.ReadableStream): Promise<{ url: string; apiKey: string } | null> {
  for await (const line of createInterface({ input: stdout })) {
    const parsed = parseLine(line)
    if (isJsonObject(parsed) && typeof parsed['url'] === 'string' && typeof parsed['apiKey'] === 'string') {
      stdout.resume() // a full pipe would eventually block the process
      return { url: parsed['url'], apiKey: parsed['apiKey'] }
    }
  }
  return null
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
