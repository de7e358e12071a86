// Webhook delivery: signatures, order, retries, a lane that stops, and the events an endpoint gets.
import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { signedMessage } from '../src/bridge/webhooks/signature.ts'
import type { Resource } from './answers.ts'
import { deposit, depositAt, type Fields, openAccount } from './people.ts'
import { type Provider, startSandbox, until } from './sandbox.ts'
import { isSigned, type Receiver, startReceiver, subscribe } from './webhook-receiver.ts'

const sequences = (receiver: Receiver): number[] => receiver.received.map(({ event }) => event.event_sequence)

const ascendingFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i)

/** Makes `count` events: each customer is one `customer.created`. */
const makeEvents = async (provider: Provider, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await provider.wire('POST', '/customers', { body: { type: 'individual' } })
  }
}

const attemptsAt = async (provider: Provider, webhook: Resource) => {
  const { body } = await provider.control('GET', '/webhooks/deliveries')
  return body.data.filter((attempt) => attempt.webhook_id === webhook.id).reverse()
}

describe('webhook delivery', () => {
  test('a new endpoint is disabled, gathers its events, and gets them in order once it is active', async () => {
    await using sandbox = await startSandbox()
    await using receiver = await startReceiver()
    await makeEvents(sandbox, 3)
    const webhook = await subscribe(sandbox, receiver, { status: 'disabled' })
    assert.equal(webhook.status, 'disabled')
    await makeEvents(sandbox, 12)
    const { body: queue } = await sandbox.wire('GET', `/webhooks/${webhook.id}/events`)
    assert.deepEqual(
      queue.data.map((event) => event.event_sequence),
      ascendingFrom(4, 10),
    )
    assert.equal(receiver.received.length, 0)

    await sandbox.wire('PUT', `/webhooks/${webhook.id}`, { body: { status: 'active' } })
    await until('all have arrived', () => receiver.received.length === 12)
    assert.deepEqual(sequences(receiver), ascendingFrom(4, 12))
    const { body: empty } = await sandbox.wire('GET', `/webhooks/${webhook.id}/events`)
    assert.deepEqual(empty.data, [])
  })

  test('an endpoint from the beginning of time gets what happened before it', async () => {
    await using sandbox = await startSandbox()
    await using receiver = await startReceiver()
    await makeEvents(sandbox, 3)
    await subscribe(sandbox, receiver, { event_epoch: 'beginning_of_time' })
    await until('the past has arrived', () => receiver.received.length === 3)
    assert.deepEqual(sequences(receiver), [1, 2, 3])
  })

  test('a failing event is repeated, freshly signed, and no later event overtakes it', async () => {
    await using sandbox = await startSandbox({ webhookRetryMs: [30, 30, 30, 30, 30] })
    await using receiver = await startReceiver()
    let failures = 3
    receiver.answer = ({ event }) => (event.event_sequence === 2 && failures-- > 0 ? 500 : 200)
    const webhook = await subscribe(sandbox, receiver)
    await makeEvents(sandbox, 5)
    await until('all have arrived', () => receiver.received.length === 8)
    assert.deepEqual(sequences(receiver), [1, 2, 2, 2, 2, 3, 4, 5])
    const repeats = receiver.received.filter(({ event }) => event.event_sequence === 2)
    assert.equal(new Set(repeats.map(({ raw }) => raw)).size, 1, 'the body stays the same')
    const headers = repeats.map((delivery) => String(delivery.headers['x-webhook-signature']))
    assert.equal(new Set(headers).size, 4, 'each attempt has a signature and time of its own')
    for (const { headers: sent, raw } of repeats) {
      assert.ok(isSigned(webhook.public_key, String(sent['x-webhook-signature']), raw))
    }
    const { body: logs } = await sandbox.wire('GET', `/webhooks/${webhook.id}/logs`)
    assert.deepEqual(
      logs.data.map(({ status }) => Number(status)),
      [200, 200, 200, 200, 500, 500, 500, 200],
    )
    assert.equal(logs.data[0]?.response_body, '{"status":200}')
  })

  test('anything but a 2xx is repeated, and no redirect is followed', async () => {
    await using sandbox = await startSandbox({ webhookRetryMs: [10, 10] })
    await using receiver = await startReceiver()
    const webhook = await subscribe(sandbox, receiver)
    const good = [200, 201, 204]
    const bad = [301, 302, 307, 308, 400, 404, 410, 429, 500, 503]
    const answers = [...good, ...bad.flatMap((status) => [status, 200])]
    receiver.answer = () => answers[receiver.received.length - 1] ?? 200
    await makeEvents(sandbox, good.length + bad.length)
    await until('all have arrived', () => receiver.received.length === answers.length)
    const repeated = bad.flatMap((_, index) => [good.length + index + 1, good.length + index + 1])
    assert.deepEqual(sequences(receiver), [1, 2, 3, ...repeated])
    assert.ok(receiver.received.every(({ path }) => path === '/hooks'))
    const logged = await until('the last attempt is logged', async () => {
      const attempts = await attemptsAt(sandbox, webhook)
      return attempts.length === answers.length && attempts
    })
    assert.deepEqual(
      logged.map(({ status }) => Number(status)),
      answers,
    )
  })

  test('a receiver that does not answer in time, or is not there, is a failure with status 0', async () => {
    await using sandbox = await startSandbox({ webhookTimeoutMs: 100, webhookRetryMs: [20, 20] })
    await using silent = await startReceiver()
    let answers = false
    silent.answer = () => (answers ? 200 : null)
    const webhook = await subscribe(sandbox, silent)
    await using gone = await startReceiver()
    const lost = await subscribe(sandbox, gone)
    await gone[Symbol.asyncDispose]()
    await makeEvents(sandbox, 1)
    const [attempt] = await until('an attempt timed out', async () => {
      const attempts = await attemptsAt(sandbox, webhook)
      return attempts.length > 0 && attempts
    })
    assert.deepEqual([Number(attempt?.status), attempt?.response_body], [0, ''])
    assert.match(attempt?.error ?? '', /timeout/i)
    answers = true
    await until(
      'a later attempt succeeds',
      async () => Number((await attemptsAt(sandbox, webhook)).at(-1)?.status) === 200,
    )
    const [refusal] = await until('the other has failed', async () => {
      const attempts = await attemptsAt(sandbox, lost)
      return attempts.length > 0 && attempts
    })
    assert.match(refusal?.error ?? '', /ECONNREFUSED/)
  })

  test('when the waits are used up delivery stops until a manual send succeeds, then all queued events follow', async () => {
    await using sandbox = await startSandbox({ webhookRetryMs: [10, 10] })
    await using receiver = await startReceiver()
    receiver.answer = () => 500
    const webhook = await subscribe(sandbox, receiver)
    await makeEvents(sandbox, 3)
    await until('the waits are used up', () => receiver.received.length === 3)
    await makeEvents(sandbox, 1)
    const { body: queue } = await sandbox.wire('GET', `/webhooks/${webhook.id}/events`)
    assert.deepEqual(
      queue.data.map((event) => event.event_sequence),
      [1, 2, 3, 4],
    )

    const send = (eventId: string) =>
      sandbox.wire('POST', `/webhooks/${webhook.id}/send`, { body: { event_id: eventId } })
    const third = queue.data[2]?.event_id ?? ''
    assert.equal((await send(third)).status, 200)
    await until('the failed manual send is logged', async () => (await attemptsAt(sandbox, webhook)).length === 4)
    assert.deepEqual(sequences(receiver), [1, 1, 1, 3], 'nothing else was sent meanwhile')

    receiver.answer = () => 200
    await send(third)
    await until('the queue is empty', () => receiver.received.length === 9)
    assert.deepEqual(sequences(receiver).slice(4), [3, 1, 2, 3, 4], 'a manual send takes nothing out of the queue')
    const attempts = await attemptsAt(sandbox, webhook)
    assert.deepEqual(
      attempts.map(({ manual }) => manual),
      [false, false, false, true, true, false, false, false, false],
    )
  })

  test('a manual send works for a disabled endpoint and does not touch its queue', async () => {
    await using sandbox = await startSandbox()
    await using receiver = await startReceiver()
    const webhook = await subscribe(sandbox, receiver, { status: 'disabled' })
    await makeEvents(sandbox, 2)
    const { body: queue } = await sandbox.wire('GET', `/webhooks/${webhook.id}/events`)
    const path = `/webhooks/${webhook.id}/send`
    const sent = await sandbox.wire('POST', path, { body: { event_id: queue.data[1]?.event_id } })
    assert.match(sent.body.message, /^Successfully sent the webhook event/)
    await until('it has arrived', () => receiver.received.length === 1)
    assert.deepEqual(sequences(receiver), [2])
    assert.deepEqual((await sandbox.wire('GET', `/webhooks/${webhook.id}/events`)).body, queue)
    assert.equal((await sandbox.wire('POST', path, { body: { event_id: 'wh_none' } })).status, 404)
    assert.equal((await sandbox.wire('POST', path, { body: {} })).status, 400)
  })

  test('flush ends the wait before the next attempt', async () => {
    await using sandbox = await startSandbox({ webhookRetryMs: [3600000] })
    await using receiver = await startReceiver()
    receiver.answer = () => 500
    const webhook = await subscribe(sandbox, receiver)
    await makeEvents(sandbox, 2)
    await until('the first attempt has failed', async () => (await attemptsAt(sandbox, webhook)).length === 1)
    receiver.answer = () => 200
    const { body } = await sandbox.control('POST', `/webhooks/${webhook.id}/flush`)
    assert.equal(body.queued, 2)
    await until('both have arrived', () => receiver.received.length === 3)
    assert.deepEqual(sequences(receiver), [1, 1, 2])
  })

  test('an endpoint gets only its categories, and a new choice counts from then on', async () => {
    await using sandbox = await startSandbox({ depositStepMs: 1 })
    await using receiver = await startReceiver()
    const webhook = await subscribe(sandbox, receiver, { event_categories: ['virtual_account.activity'] })
    const account = await openAccount(sandbox)
    await depositAt(sandbox, await deposit(sandbox, account, { amount: '5.00' }), 'payment_processed')
    await until('three have arrived', () => receiver.received.length === 3)
    const body = { event_categories: ['customer'] }
    const { body: changed } = await sandbox.wire('PUT', `/webhooks/${webhook.id}`, { body })
    assert.deepEqual(changed.event_categories, ['customer'])
    await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
    await until('four have arrived', () => receiver.received.length === 4)
    assert.deepEqual(
      receiver.received.map(({ event }) => event.event_category),
      [...Array.from({ length: 3 }, () => 'virtual_account.activity'), 'customer'],
    )
  })

  test('a deleted endpoint says so once and gets nothing more', async () => {
    await using sandbox = await startSandbox()
    await using receiver = await startReceiver()
    await using witness = await startReceiver()
    const webhook = await subscribe(sandbox, receiver)
    await subscribe(sandbox, witness)
    assert.equal((await sandbox.wire('DELETE', `/webhooks/${webhook.id}`)).body.status, 'deleted')
    await makeEvents(sandbox, 2)
    await until('the witness has both', () => witness.received.length === 2)
    assert.equal(receiver.received.length, 0)
    assert.equal((await sandbox.wire('GET', `/webhooks/${webhook.id}/events`)).status, 404)
    assert.equal((await sandbox.wire('GET', '/webhooks')).body.data.length, 1)
  })

  test('a slow endpoint does not hold up another one', async () => {
    await using sandbox = await startSandbox()
    await using stuck = await startReceiver()
    stuck.answer = () => null
    await using quick = await startReceiver()
    await subscribe(sandbox, stuck)
    await subscribe(sandbox, quick)
    await makeEvents(sandbox, 5)
    await until('the quick one has all', () => quick.received.length === 5)
    assert.equal(stuck.received.length, 1, 'one at a time')
  })

  const refused: [field: string, changes: Fields][] = [
    ['url', { url: 'http://example.com/hooks' }],
    ['url', { url: 'http://10.0.0.7/' }],
    ['url', { url: 'http://[2001:db8::7]/' }],
    ['url', { url: 'ftp://127.0.0.1/' }],
    ['url', { url: 'https://user:secret@example.com/' }],
    ['url', { url: undefined }],
    ['event_epoch', { event_epoch: 'yesterday' }],
    ['event_epoch', { event_epoch: undefined }],
    ['event_categories.0', { event_categories: ['weather'] }],
  ]
  test('plain http is accepted on loopback and for a service of a container network', async () => {
    await using sandbox = await startSandbox()
    for (const host of ['127.0.0.1:1', '[::1]:1', 'localhost:1', 'api:8080']) {
      const body = { url: `http://${host}/v0/webhooks/provider`, event_epoch: 'webhook_creation' }
      const { status } = await sandbox.wire('POST', '/webhooks', { body: { ...body, event_categories: ['customer'] } })
      assert.equal(status, 201, host)
    }
  })

  test('bad input is named, and no endpoint is made of it', async () => {
    await using sandbox = await startSandbox()
    for (const [field, changes] of refused) {
      const body = { url: 'https://example.com/', event_epoch: 'webhook_creation', ...changes }
      const { status, body: answer } = await sandbox.wire('POST', '/webhooks', { body })
      assert.deepEqual([status, Object.keys(answer.source.key)], [400, [field]])
    }
    assert.deepEqual((await sandbox.wire('GET', '/webhooks')).body.data, [])
  })
})

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
    await using sandbox = await startSandbox()
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
    await using sandbox = await startSandbox()
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
