// A start may reach a server at the moment in which that server stops.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { claim } from '../src/session.ts'

/** A message of the protocol: its letter, its length, its body. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

test('a server that stops between the greeting and the first statement is taken for absent', async (t) => {
  const welcome = message('R', Buffer.alloc(4))
  const ready = message('Z', Buffer.from('I'))
  const stopping = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))
  // In one packet, so that the client reads all of it before it can say anything.
  const server = createServer((socket) =>
    socket.once('data', () => socket.end(Buffer.concat([welcome, ready, stopping]))),
  )
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await claim({ host: '127.0.0.1', port }, 'a password'), { state: 'absent' })
})
