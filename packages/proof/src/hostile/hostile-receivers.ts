// Receivers that behave as badly as they can, one kind a path, in a process of their own. Below HTTP where it takes that.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { endWithParent, say } from '../rig/line-process.ts'
import type { HostileKind } from './hostile-kinds.ts'

const bombBytes = 64 * 1024 * 1024
const chunk = Buffer.alloc(16 * 1024, 'x')
const slowByteMs = 1_000

const head = (status: string, headers: string): string => `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`
const bomb = gzipSync(Buffer.alloc(bombBytes))

/** What each does with a connection once the request has begun to arrive. */
const conducts: Readonly<Record<Exclude<HostileKind, 'never-read'>, (socket: Socket, path: string) => void>> = {
  silent: () => {},
  'byte-a-second': (socket) => {
    const text = head('200 OK', 'content-length: 100000')
    let sent = 0
    const timer = setInterval(() => socket.write(text.charAt(sent++) || 'x'), slowByteMs)
    socket.on('close', () => clearInterval(timer))
  },
  'endless-body': (socket) => {
    socket.write(head('200 OK', 'transfer-encoding: chunked'))
    const pour = (): void => {
      while (!socket.destroyed && socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`));
    }
    socket.on('drain', pour)
    pour()
  },
  'gzip-bomb': (socket) => {
    socket.write(head('200 OK', `content-encoding: gzip\r\ncontent-length: ${bomb.length}`))
    socket.write(bomb)
  },
  'redirect-loop': (socket, path) => {
    socket.write(head('302 Found', `location: ${path}\r\ncontent-length: 0`))
  },
  reset: (socket) => void socket.resetAndDestroy(),
}

const server = createServer((socket) => {
  socket.on('error', () => {}) // the sender goes when it has had enough
  socket.on('data', (data) => {
    // A request is smaller than a packet, so other data is the rest of a large request.
    const path = /^POST (\/\S*)/.exec(data.toString('latin1'))?.[1]
    if (path !== undefined) conducts[path.slice(1) as keyof typeof conducts](socket, path)
  })
})
/** Accepts and does not read: sent bytes stay in the kernel's buffers. */
const neverReads = createServer({ pauseOnConnect: true }, (socket) => socket.on('error', () => {}))

endWithParent()
server.listen(0, '127.0.0.1', () =>
  neverReads.listen(0, '127.0.0.1', () => say({ port: portOf(server), neverReadPort: portOf(neverReads) })),
)

function portOf(one: Server): number {
  return (one.address() as AddressInfo).port
}
