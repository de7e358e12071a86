// The emulated provider in a chaos run: it dies and comes back with its memory, and at the end it tells what it holds. Asked
// directly, past the faults: what it says is the truth that our answers are held against.

import { setTimeout as delay } from 'node:timers/promises'
import { type SandboxProcess, startSandboxProcess } from '../../../cli/src/world/sandbox-process.ts'
import type { JsonObject } from '../../../server/src/platform/values/json.ts'

export type ProviderRecord = {
  customers: readonly JsonObject[]
  accounts: readonly JsonObject[]
  /** Envelopes, the oldest first. */
  events: readonly JsonObject[]
}

export type ChaosProvider = AsyncDisposable & {
  address: { host: string; port: number }
  apiKey: string
  /** SIGKILL, and a new process on the same state. */
  die(downMs: number): Promise<void>
  /** Repeated while it is away. @returns status and body */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: JsonObject }>
  record(): Promise<ProviderRecord>
}

const pageMax = 100
const triesMax = 300
const pauseMs = 100

export async function startChaosProvider(stateDir: string): Promise<ChaosProvider> {
  const retries = [50, 100, 200, ...Array(2_000).fill(300)].join(',')
  const args = ['--kyc-decision-ms', '200', '--deposit-step-ms', '100', '--webhook-timeout-ms', '2000']
  const start = (port: number): Promise<SandboxProcess> =>
    startSandboxProcess({ port, stateDir, args: [...args, '--webhook-retry-ms', retries] })
  let running = await start(10_240 + Math.floor(Math.random() * 20_000))
  const { url, apiKey } = running

  const ask: ChaosProvider['ask'] = async (method, path, body) => {
    for (let tries = 1; ; tries++) {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { 'api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(10_000),
        })
        return { status: response.status, body: (await response.json()) as JsonObject }
      } catch (error) {
        if (tries === triesMax) throw error
        await delay(pauseMs)
      }
    }
  }
  const all = async (path: string): Promise<JsonObject[]> => {
    const rows: JsonObject[] = []
    for (;;) {
      const after = rows.length === 0 ? '' : `&starting_after=${rows.at(-1)?.['id']}`
      const page = (await ask('GET', `${path}?limit=${pageMax}${after}`)).body['data'] as JsonObject[]
      rows.push(...page)
      if (page.length < pageMax) return rows
    }
  }
  return {
    address: { host: '127.0.0.1', port: Number(new URL(url).port) },
    apiKey,
    ask,
    async die(downMs) {
      process.kill(running.pid, 'SIGKILL')
      await running.stop()
      await delay(downMs)
      running = await start(Number(new URL(url).port))
    },
    record: async () => ({
      customers: await all('/v0/customers'),
      accounts: await all('/v0/virtual_accounts'),
      events: (await ask('GET', '/_sandbox/events')).body['data'] as JsonObject[],
    }),
    [Symbol.asyncDispose]: () => running.stop(),
  }
}
