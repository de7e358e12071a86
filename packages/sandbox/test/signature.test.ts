// The webhook signature: the provider's published example, and what the sandbox itself sends.
import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { signedMessage } from '../src/webhooks/signature.ts'
import { openAccount } from './people.ts'
import { startProcess, until } from './sandbox-process.ts'
import { isSigned, startReceiver, subscribe } from './webhook-receiver.ts'

const example = {
  sentAt: 1705854411204,
  body: '{"message":"Hello World!"}',
  signature:
    'jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb4lWt+TY66LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2c9D64bGwCEE7QSia+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6hEEzgiPSff/1nou58dm4bIIazgCWli/mO0NyGcpfFw==',
  publicKey: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt
LX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu
xWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+
O7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU
hG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O
9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+
qwIDAQAB
-----END PUBLIC KEY-----`,
}

describe('webhook signatures', () => {
  test("the message we sign is the one that the provider's published example verifies over", () => {
    const message = signedMessage(example.sentAt, example.body)
    assert.ok(verify('sha256', message, example.publicKey, Buffer.from(example.signature, 'base64')))
    assert.equal(message.toString('hex'), 'b7d91d825f86bdb829cbd1d0f12dd4faed8a58507e8a9fdb3a8e13d07c2047ee')
  })

  test('no byte of body, time or signature can change without the signature failing', async () => {
    await using sandbox = await startProcess()
    await using receiver = await startReceiver()
    const { public_key: publicKey } = await subscribe(sandbox, receiver)
    await openAccount(sandbox)
    const delivery = await until('a delivery arrives', () => receiver.received[0])
    const header = String(delivery.headers['x-webhook-signature'])
    assert.match(header, /^t=\d{13},v0=[A-Za-z0-9+/]{342}==$/)
    assert.ok(isSigned(publicKey, header, delivery.raw), 'the untouched delivery verifies')

    for (let index = 0; index < delivery.raw.length; index += 7) {
      const bytes = Buffer.from(delivery.raw)
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
      assert.ok(!isSigned(publicKey, header, bytes.toString('latin1')), `body byte ${index}`)
    }
    const [, sentAt = '', signature = ''] = /^t=(\d+),v0=(.*)$/.exec(header) ?? []
    for (let index = 0; index < sentAt.length; index += 1) {
      const changed = sentAt.slice(0, index) + ((Number(sentAt[index]) + 1) % 10) + sentAt.slice(index + 1)
      assert.ok(!isSigned(publicKey, `t=${changed},v0=${signature}`, delivery.raw), `digit ${index} of the time`)
    }
    const raw = Buffer.from(signature, 'base64')
    for (let index = 0; index < raw.length; index += 1) {
      const changed = Buffer.from(raw)
      changed.writeUInt8(changed.readUInt8(index) ^ 0x80, index)
      const forged = `t=${sentAt},v0=${changed.toString('base64')}`
      assert.ok(!isSigned(publicKey, forged, delivery.raw), `byte ${index} of the signature`)
    }
  })

  test('every endpoint has a key pair of its own', async () => {
    await using sandbox = await startProcess()
    await using receiver = await startReceiver()
    const first = await subscribe(sandbox, receiver)
    const second = await subscribe(sandbox, receiver)
    assert.notEqual(first.public_key, second.public_key)
    await openAccount(sandbox)
    const deliveries = await until('both have a delivery', () => receiver.received.length >= 2 && receiver.received)
    for (const key of [first.public_key, second.public_key]) {
      assert.ok(deliveries.some(({ headers, raw }) => isSigned(key, String(headers['x-webhook-signature']), raw)))
    }
  })
})
