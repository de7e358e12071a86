// A line between an adapter and its emulator. Records each HTTP call, and fails on command as networks and providers fail.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type WireCall = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: string }

/**
 * How a call is lost after the provider has carried it out.
 * - `cut`: the connection breaks; `failed`: the response is a 500; `hung`: no response
 * - `killed`: the provider dies before its response leaves; `killed_early`: it dies while it works, so the work may be lost
 */
export const losses = ['cut', 'failed', 'hung', 'killed', 'killed_early'] as const
export type Loss = (typeof losses)[number]

/** Makes another response. @param genuine asks the provider */
export type Forger = (call: WireCall, genuine: () => Promise<Reply>) => Reply | 'not_http' | Promise<Reply | 'not_http'>

export type Wire = AsyncDisposable & {
  origin: string
  /** All calls since `heal`. */
  calls: WireCall[]
  /** Loses each call from the nth on, the first being 1. @param kill kills the provider, and returns when it is dead */
  lose(how: Loss, from: number, kill: () => Promise<void>): void
  /** Replaces each response. */
  forge(forger: Forger): void
  /** How many calls were lost since `lose`. */
  lost(): number
  /** Ends losses and forgeries, and forgets the calls. */
  heal(): void
}

/** @param target the origin of the provider */
export async function openWire(target: () => string): Promise<Wire> {
  const calls: WireCall[] = []
  let loss: { how: Loss; from: number; kill: () => Promise<void> } | null = null
  let forger: Forger | null = null
  let lost = 0

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = incoming
    const call = { method, path, headers, body: (await buffer(incoming)).toString() }
    calls.push(call)
    const genuine = () => forward(target(), call)
    if (forger) return send(response, await forger(call, genuine))
    if (loss === null || calls.length < loss.from) return send(response, await genuine())
    const { how, kill } = loss
    lost += 1
    if (how === 'killed_early') await Promise.all([genuine().catch(() => {}), kill()])
    else await genuine().catch(() => {}) // a call after the death of the provider
    if (how === 'killed') await kill()
    if (how === 'failed') return send(response, { status: 500, headers: {}, body: '{"code":"unexpected"}' })
    if (how !== 'hung') response.destroy()
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo

  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    lose(how, from, kill) {
      calls.length = 0
      lost = 0
      loss = { how, from, kill }
    },
    forge(given) {
      calls.length = 0
      forger = given
    },
    lost: () => lost,
    heal() {
      calls.length = 0
      loss = null
      forger = null
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function send(response: ServerResponse, reply: Reply | 'not_http'): void {
  if (reply === 'not_http') {
    response.socket?.end('SSH-2.0-nothing\r\n')
    return
  }
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...headers } = reply.headers
  response.writeHead(reply.status, headers).end(reply.body)
}

function forward(origin: string, { method, path, headers, body }: WireCall): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const { host: _, connection: __, ...own } = headers
  const outgoing = request(`${origin}${path}`, { method, headers: own, agent: false }, (response) => {
    buffer(response).then(
      (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString() }),
      reject,
    )
  })
  outgoing.on('error', reject).end(body)
  return promise
}
