// Ports for programs that need a fixed port.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'

// Below the range from which systems pick ports, so no other program gets the port before ours listens, or while ours is down.
const range = { from: 10_240, to: 32_000 }
const triesMax = 200

export async function freePort(): Promise<number> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const port = range.from + Math.floor(Math.random() * (range.to - range.from))
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const failed = once(server, 'error').then(() => false)
  server.listen({ host: '127.0.0.1', port })
  const listens = await Promise.race([once(server, 'listening').then(() => true), failed])
  if (listens) await new Promise((done) => server.close(done))
  return listens
}

/** Whether a connection is accepted. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
