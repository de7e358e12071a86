// Listeners on the addresses of this machine that nothing may reach. They count, and they can be asked whether they live.

import { once } from 'node:events'
import { createConnection, createServer, type Server } from 'node:net'
import { loopbackAddresses, ownAddresses } from './special-addresses.ts'

export type Canary = AsyncDisposable & {
  /** Free ports that are open at every address; URLs name these. */
  ports: readonly number[]
  listeners: number
  /**
   * Connections so far, without those of its own. It connects to each listener and waits to be answered: they are accepted
   * in order, so every earlier connection is counted. @throws Error when one does not answer
   */
  accepted(): Promise<number>
}

const portsMax = 3
const answerMsMax = 5_000
// What a URL without a port means. They may be taken, or closed to us: then the turnstile alone watches them.
const defaultPorts = [443, 80] as const

export async function openCanary(): Promise<Canary> {
  let total = 0
  let own = 0
  const servers: { server: Server; host: string; port: number }[] = []
  const open = async (host: string, port: number): Promise<number | null> => {
    const server = createServer((socket) => {
      total += 1
      socket.on('error', () => {})
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'))
    })
    const bound = await listen(server, host, port)
    if (bound !== null) servers.push({ server, host, port: bound })
    return bound
  }
  const openEverywhere = async (port: number): Promise<void> => {
    for (const host of addresses) if (host !== addresses[0]) await open(host, port)
  }

  const addresses = [...loopbackAddresses, ...ownAddresses]
  const ports: number[] = []
  while (ports.length < portsMax) {
    const port = await open('127.0.0.1', 0)
    if (port === null) throw new Error('the canary could not listen on loopback')
    ports.push(port)
    await openEverywhere(port)
  }
  for (const port of defaultPorts) {
    await open('127.0.0.1', port)
    await openEverywhere(port)
  }

  return {
    ports,
    listeners: servers.length,
    async accepted() {
      for (const { host, port } of servers) {
        own += 1
        await knock(host, port)
      }
      return total - own
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(({ server }) => new Promise((closed) => server.close(closed))))
    },
  }
}

/** null where this machine has no such address, or the port is taken or closed to us. */
async function listen(server: Server, host: string, port: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  server.once('error', () => resolve(null))
  server.listen({ host, port, ipv6Only: true }, () => {
    const address = server.address()
    resolve(typeof address === 'object' && address !== null ? address.port : null)
  })
  return await promise
}

async function knock(host: string, port: number): Promise<void> {
  const socket = createConnection({ host, port })
  try {
    socket.end('knock')
    await once(socket.resume(), 'close', { signal: AbortSignal.timeout(answerMsMax) })
  } finally {
    socket.destroy()
  }
}
