// One origin: below `/ok/` a receiver that takes everything at once and says when; below `/never/` one that accepts
// and never answers; below `/hints/` one that answers 103 without end. A process of its own.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { hostMs } from '../hostile/host-clock.ts'
import { endWithParent, say } from '../rig/line-process.ts'

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n'
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

const server = createServer((socket) => {
  socket.on('error', () => {}) // the sender goes when it has had enough
  let text = ''
  socket.on('data', (data) => {
    text += data.toString('latin1')
    for (;;) {
      const [whole, path = '', length = '0'] =
        /^POST (\/\S*)[\s\S]*?\r\ncontent-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(text) ?? []
      if (whole === undefined || text.length < whole.length + Number(length)) return
      const body = text.slice(whole.length, whole.length + Number(length))
      text = text.slice(whole.length + Number(length))
      conduct(socket, path, body)
    }
  })
})

function conduct(socket: Socket, path: string, body: string): void {
  const atMs = hostMs()
  if (path.startsWith('/hints/')) {
    pour(socket)
    return
  }
  if (path.startsWith('/never/')) return
  socket.write(answer)
  const { event_id: eventId } = JSON.parse(body) as { event_id: string }
  say({ to: path.slice(1), eventId, atMs })
}

function pour(socket: Socket): void {
  while (!socket.destroyed && socket.write(hint));
  socket.once('drain', () => pour(socket))
}

endWithParent()
server.listen(0, '127.0.0.1', 4_096, () => say({ port: (server.address() as AddressInfo).port }))
