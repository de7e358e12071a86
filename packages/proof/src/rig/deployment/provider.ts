// The provider of a world: the emulator, a process with state that dies and returns; or nobody. Asked directly, past the faults:
// what the emulator holds is the truth that Causeway's responses are compared with.

import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProviderSigner } from '../../../../server/test/provider-signer.ts'
import { freePort } from '../ports.ts'
import { type Program, startProgram, untilProgram } from '../programs.ts'
import type { Provider, ProviderRecord, World } from '../world.ts'

export type Upstream = Pick<Provider, 'pid' | 'die' | 'ask' | 'record'> & {
  address: { host: string; port: number }
  apiKey: string
  /** Resolves when it runs. */
  isUp(): Promise<void>
}

const entry = resolve(import.meta.dirname, '../../../../sandbox/bin/sandbox.js')
const retryMs = [50, 100, 200, ...Array(2_000).fill(300)].join(',')
const settings = ['--kyc-decision-ms', '200', '--deposit-step-ms', '100', '--webhook-timeout-ms', '2000']
const discardPort = 9
const pageMax = 100
const answerMsMax = 10_000
const triesMax = 300
const pauseMs = 100

/** Nobody responds at its address, and events come from the proof alone. */
export const silentProvider: Upstream = {
  address: { host: '127.0.0.1', port: discardPort },
  apiKey: 'sk-test-proof',
  pid: () => 0,
  isUp: async () => {},
  die: () => Promise.reject(new Error('a silent provider cannot die')),
  ask: () => Promise.reject(new Error('a silent provider does not respond')),
  record: async () => null,
}

/** @param stateFolder keeps its state from one process to the next */
export async function startEmulator(stateFolder: string, stack: AsyncDisposableStack): Promise<Upstream> {
  const port = await freePort()
  const ready = Promise.withResolvers<{ url: string; apiKey: string }>()
  let running: Program | null = null
  let returning = Promise.resolve()
  const args = [entry, '--port', String(port), '--state', stateFolder, ...settings, '--webhook-retry-ms', retryMs]
  const start = async (): Promise<void> => {
    let isUp = false
    const hear = (line: string): void => {
      if (!line.startsWith('{"ready"')) return
      isUp = true
      ready.resolve(JSON.parse(line)) // the emulator's first line; only the first process's resolves
    }
    running = startProgram('the emulator', { file: process.execPath, args, asOurselves: true, hear })
    await untilProgram('listened', running, async () => isUp)
  }
  stack.defer(() => running?.stop())
  await start()
  const { url, apiKey } = await ready.promise

  const ask = askerOf(url, apiKey)
  return {
    address: { host: '127.0.0.1', port },
    apiKey,
    ask,
    pid: () => running?.pid ?? 0,
    isUp: () => returning,
    async die(downMs) {
      await returning
      const dying = running
      dying?.signal('SIGKILL')
      returning = (async () => {
        await dying?.ended
        await delay(downMs)
        await start()
      })()
      await returning
    },
    record: () => recordOf(ask),
  }
}

/** Asks the emulator; repeated while it is down. */
function askerOf(url: string, apiKey: string): Provider['ask'] {
  return async (method, path, body) => {
    for (let tries = 1; ; tries++) {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { 'api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(answerMsMax),
        })
        return { status: response.status, body: (await response.json()) as Record<string, unknown> }
      } catch (error) {
        if (tries === triesMax) throw error
        await delay(pauseMs)
      }
    }
  }
}

async function recordOf(ask: Provider['ask']): Promise<ProviderRecord> {
  const rowsOf = async (path: string): Promise<Record<string, unknown>[]> =>
    (await ask('GET', path)).body['data'] as Record<string, unknown>[]
  const all = async (path: string): Promise<Record<string, unknown>[]> => {
    const rows: Record<string, unknown>[] = []
    for (;;) {
      const after = rows.length === 0 ? '' : `&starting_after=${rows.at(-1)?.['id']}`
      const page = await rowsOf(`${path}?limit=${pageMax}${after}`)
      rows.push(...page)
      if (page.length < pageMax) return rows
    }
  }
  return {
    customers: await all('/v0/customers'),
    accounts: await all('/v0/virtual_accounts'),
    events: await rowsOf('/_sandbox/events'),
  }
}

/** Lets a proof send its own events, as the provider would. */
export function postsOf(signer: ProviderSigner, send: World<never>['send']): Pick<Provider, 'sign' | 'post'> {
  const sign = (body: string): string => signer.sign(body)
  return {
    sign,
    post(body, limitMs) {
      const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body) }
      return send({ method: 'POST', path: '/v0/webhooks/provider', headers, body }, limitMs)
    },
  }
}
