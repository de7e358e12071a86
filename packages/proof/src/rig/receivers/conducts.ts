// Conducts of hostile receivers. None reads the body of a delivery, and none accepts it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Conduct } from '../world.ts'

export type Hostile = Exclude<Conduct, 'healthy' | 'flaky' | 'forgetful'>

const bombBytes = 64 * 1024 * 1024
const slowByteMs = 1_000
const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n'
const chunk = Buffer.alloc(16 * 1024, 'x')
const endlessChunk = `${chunk.length.toString(16)}\r\n${chunk}\r\n`
let bomb: Buffer | undefined

export const conducts: Readonly<Record<Hostile, (request: IncomingMessage, response: ServerResponse) => void>> = {
  'never-read': (request) => void request.socket.pause(),
  silent: (request) => void request.resume(),
  'byte-a-second': ({ socket }) => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'
    let sent = 0
    const timer = setInterval(() => socket.write(text.charAt(sent++) || 'x'), slowByteMs)
    socket.on('close', () => clearInterval(timer))
  },
  'endless-body': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    pour(socket, endlessChunk)
  },
  'gzip-bomb': (_, response) => {
    bomb ??= gzipSync(Buffer.alloc(bombBytes))
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb)
  },
  'redirect-loop': ({ url }, response) => void response.writeHead(302, { location: url ?? '/' }).end(),
  reset: ({ socket }) => void socket.resetAndDestroy(),
  'interim-flood': ({ socket }) => pour(socket, hint),
}

function pour(socket: Socket, text: string): void {
  while (!socket.destroyed && socket.write(text));
  socket.once('drain', () => pour(socket, text))
}
