// RSA signatures checked in a thread: each by itself whatever stands beside it, and no process lives on for it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { verifyRsa } from './rsa-thread.ts'

const pairOf = () => generateKeyPairSync('rsa', { modulusLength: 2_048 })
const [one, other] = [pairOf(), pairOf()]
const message = (n: number) => Buffer.from(`message ${n}`)
const signed = (n: number, { privateKey } = one) => sign('sha256', message(n), privateKey)

test('of many at once each gets its own verdict, whatever stands beside it', async () => {
  const damaged = signed(3)
  damaged[100] = (damaged[100] ?? 0) ^ 1
  const verdicts = await Promise.all([
    verifyRsa(one.publicKey, message(1), signed(1)),
    verifyRsa(one.publicKey, message(2), signed(1)),
    verifyRsa(one.publicKey, message(3), damaged),
    verifyRsa(other.publicKey, message(4), signed(4)),
    verifyRsa(other.publicKey, message(5), signed(5, other)),
    verifyRsa(one.publicKey, message(6), Buffer.alloc(0)),
    verifyRsa(one.publicKey, message(7), Buffer.alloc(10_000, 1)),
    // A key that this scheme knows nothing of.
    verifyRsa(generateKeyPairSync('ed25519').publicKey, message(8), signed(8)),
    verifyRsa(one.publicKey, Buffer.alloc(0), sign('sha256', Buffer.alloc(0), one.privateKey)),
  ])
  assert.deepEqual(verdicts, [true, false, false, false, true, false, false, false, true])
})

test('a batch that comes while another is checked is checked after it', async () => {
  const first = Array.from({ length: 50 }, (_, n) => verifyRsa(one.publicKey, message(n), signed(n)))
  await new Promise((resolve) => setImmediate(resolve))
  const second = Array.from({ length: 50 }, (_, n) => verifyRsa(one.publicKey, message(n), signed(n + 1)))
  assert.ok((await Promise.all(first)).every((isValid) => isValid))
  assert.ok((await Promise.all(second)).every((isValid) => !isValid))
})

test('more keys than the thread keeps', async () => {
  const { publicKey, privateKey } = pairOf()
  const text = publicKey.export({ type: 'spki', format: 'pem' })
  for (let round = 0; round < 150; round++) {
    assert.equal(await verifyRsa(createPublicKey(text), message(1), sign('sha256', message(1), privateKey)), true)
    if (round % 10 === 0) assert.equal(await verifyRsa(one.publicKey, message(2), signed(2)), true)
  }
})

test('a process that has nothing else to do ends', async () => {
  const program = `
    import { generateKeyPairSync, sign } from 'node:crypto'
    import { verifyRsa } from ${JSON.stringify(new URL('./rsa-thread.ts', import.meta.url).href)}
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    console.log(await verifyRsa(publicKey, Buffer.from('x'), sign('sha256', Buffer.from('x'), privateKey)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 20_000,
  })
  assert.equal(stdout.trim(), 'true')
})
