// A receiver on loopback that takes every event and would send the sender elsewhere: to the canary.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Lure = AsyncDisposable & {
  url: string
  port: number
  /** How many different answers it has; it gives one after the other. */
  answers: number
}

const statuses = [200, 301, 302, 303, 305, 307, 308] as const

export async function startLure(ports: readonly number[]): Promise<Lure> {
  const targets = ports.flatMap((port) => [
    `http://127.0.0.1:${port}/`,
    `http://[::1]:${port}/`,
    `//localhost:${port}/`,
    `https://127.0.0.1:${port}/`,
  ])
  const answers = statuses.flatMap((status) => targets.map((target) => ({ status, target })))
  let given = 0
  const server = createServer((request, response) => {
    const { status, target } = answers[given++ % answers.length] ?? { status: 200, target: '/' }
    const { host } = new URL(target, 'http://x')
    response.writeHead(status, {
      location: target,
      'content-location': target,
      refresh: `0; url=${target}`,
      'alt-svc': `h2="${host}", http/1.1="${host}"; persist=1`,
      link: `<${target}>; rel=preconnect`,
    })
    request.resume().on('end', () => response.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    answers: answers.length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
