// A provider client with a scripted upstream behind it, and what tests ask of the two.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after } from 'node:test'
import { inspect } from 'node:util'
import type { ProviderClient } from '../src/provider/bridge/client.ts'
import { createProviderClient, type ProviderClientOptions } from '../src/provider/bridge/client.ts'
import { ProviderError } from '../src/provider/port.ts'
import { openScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'

export const write = { key: '7e6f2a52-1f0c-4b6a-8a39-0d4fb5a3b1c7' }

export type ProviderWorld = AsyncDisposable & { upstream: ScriptedUpstream; provider: ProviderClient }

export async function openScriptedProvider(options: Partial<ProviderClientOptions> = {}): Promise<ProviderWorld> {
  const upstream = await openScriptedUpstream()
  const provider = createProviderClient({
    baseUrl: upstream.baseUrl,
    apiKey: 'sk-test-key',
    timeoutMs: 5_000,
    ...options,
  })
  return {
    upstream,
    provider,
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]()
      await provider.close()
    },
  }
}

export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  const outcome = await call.then(
    () => 'an answer',
    (error: unknown) => error,
  )
  assert.ok(outcome instanceof ProviderError, `expected a ProviderError, got ${inspect(outcome)}`)
  return outcome
}

/** A listener below HTTP; everything it opened is gone when the test file ends. */
export async function listenRaw(onConnection: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(onConnection)
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return `127.0.0.1:${address.port}`
}

/** How a write fails at an address where no scripted upstream is. */
export async function failureAt(baseUrl: string, options: Partial<ProviderClientOptions> = {}): Promise<ProviderError> {
  const provider = createProviderClient({ baseUrl, apiKey: 'k', timeoutMs: 5_000, ...options })
  const failure = await failureOf(provider.createTosLink(write))
  await provider.close()
  return failure
}
