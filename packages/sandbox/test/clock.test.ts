// The clock that a command moves: due tasks run at once, each at its own time, and webhooks keep the machine's time.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { customerIn, deposit, depositAt, individual, openAccount, stepsOf } from './people.ts'
import { type Sandbox, startProcess, startSandbox, stateDirectory, until } from './sandbox.ts'
import { isSigned, startReceiver, subscribe } from './webhook-receiver.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** The difference below which two readings of a clock count as equal, because the machine may be busy. */
const slackMs = 30_000

const isNear = (timestamp: string, instant: number): boolean => Math.abs(Date.parse(timestamp) - instant) < slackMs

describe('the clock', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 2 * hourMs, depositStepMs: hourMs })
  })
  after(() => sandbox.stop())

  const advance = (advance_ms: unknown) => sandbox.control('POST', '/clock', { body: { advance_ms } })

  test('stands with the machine at first, moves forward by command, and is put back by a reset', async () => {
    const { body: first } = await sandbox.control('GET', '/clock')
    assert.deepEqual(Object.keys(first), ['now', 'offset_ms'])
    assert.equal(first.offset_ms, 0)
    assert.ok(isNear(first.now, Date.now()))
    const { status, body: moved } = await advance(3 * dayMs)
    assert.equal(status, 200)
    assert.equal(moved.offset_ms, 3 * dayMs)
    assert.ok(isNear(moved.now, Date.now() + 3 * dayMs))
    assert.deepEqual((await sandbox.control('GET', '/clock')).body.offset_ms, moved.offset_ms)
    const { body: customer } = await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
    assert.ok(isNear(customer.created_at, Date.now() + 3 * dayMs), customer.created_at)
    await sandbox.control('POST', '/reset')
    assert.equal((await sandbox.control('GET', '/clock')).body.offset_ms, 0)
  })

  test('goes neither back nor further than 400 days at once, and says so', async () => {
    const { body: before } = await sandbox.control('GET', '/clock')
    for (const wrong of [0, -1, 1.5, 400 * dayMs + 1, '1000', null, undefined, {}]) {
      const { status, body } = await advance(wrong)
      assert.deepEqual([status, body.code], [400, 'invalid_parameters'], String(wrong))
      assert.ok(body.source.key['advance_ms'])
    }
    assert.equal((await sandbox.control('GET', '/clock')).body.offset_ms, before.offset_ms)
    assert.equal((await advance(400 * dayMs)).status, 200)
    await sandbox.control('POST', '/reset')
  })

  test('what becomes due happens before the answer, in order and each step at its own time', async () => {
    const account = await openAccount(sandbox)
    const startedAt = Date.now()
    const { body: customer } = await sandbox.wire('POST', '/customers', {
      body: individual({ email: `ada-${randomUUID()}+revoke@example.com` }),
    })
    const id = await deposit(sandbox, account, { amount: '100.00', outcome: 'reviewed_refunded' })
    const { body: before } = await sandbox.control('GET', '/events')
    await advance(5 * hourMs)
    const { body: after } = await sandbox.control('GET', '/events')
    const told = after.data.slice(before.count)
    assert.deepEqual(
      told.map(({ event_object }) => event_object.type),
      ['in_review', 'individual', 'refund_in_flight', 'refund', 'individual'],
    )
    const hours = [1, 2, 2, 3, 4]
    for (const [index, event] of told.entries()) {
      assert.ok(isNear(event.event_created_at, startedAt + (hours[index] ?? 0) * hourMs), `event ${index}`)
    }
    const steps = await stepsOf(sandbox, id)
    assert.ok(isNear(steps.at(-1)?.refund.refunded_at ?? '', startedAt + 3 * hourMs))
    const { body: revoked } = await sandbox.wire('GET', `/customers/${customer.id}`)
    assert.ok(isNear(revoked.updated_at, startedAt + 4 * hourMs))
    await sandbox.control('POST', '/reset')
  })

  test('what is not due yet stays, and comes when the clock has gone the rest of the way', async () => {
    const { body: customer } = await sandbox.wire('POST', '/customers', { body: individual() })
    await advance(2 * hourMs - 60_000)
    assert.equal((await sandbox.wire('GET', `/customers/${customer.id}`)).body.status, 'under_review')
    await advance(60_000)
    assert.equal((await sandbox.wire('GET', `/customers/${customer.id}`)).body.status, 'active')
  })

  test('an idempotency key grows old with it', async () => {
    const [key, body] = [randomUUID(), individual()]
    const first = await sandbox.wire('POST', '/customers', { key, body })
    await advance(23 * hourMs)
    assert.deepEqual(await sandbox.wire('POST', '/customers', { key, body }), first)
    await advance(2 * hourMs)
    assert.equal((await sandbox.wire('POST', '/customers', { key, body })).status, 422)
  })

  test('signatures keep the time of the machine, and events tell the time of the sandbox', async () => {
    await using receiver = await startReceiver()
    const webhook = await subscribe(sandbox, receiver)
    await advance(30 * dayMs)
    const { body: clock } = await sandbox.control('GET', '/clock')
    await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
    const delivery = await until('the event has arrived', () =>
      receiver.received.find(({ event }) => event.event_type === 'customer.created'),
    )
    const header = String(delivery.headers['x-webhook-signature'])
    assert.ok(Math.abs(Number(/^t=(\d+)/.exec(header)?.[1]) - Date.now()) < slackMs, header)
    assert.ok(isSigned(webhook.public_key, header, delivery.raw))
    assert.ok(isNear(delivery.event.event_created_at, Date.parse(clock.now)))
    await sandbox.control('POST', '/reset')
  })

  test('a wait before the next attempt is not shortened by it', async () => {
    await using patient = await startSandbox({ webhookRetryMs: [600000] })
    await using receiver = await startReceiver()
    receiver.answer = () => 503
    const webhook = await subscribe(patient, receiver)
    await patient.wire('POST', '/customers', { body: { type: 'individual' } })
    const attempts = async () => (await patient.control('GET', '/webhooks/deliveries')).body
    await until('the first attempt has failed', async () => (await attempts()).count === 1)
    await patient.control('POST', '/clock', { body: { advance_ms: dayMs } })
    assert.equal((await patient.control('GET', '/state')).body.pending_tasks.count, 1, 'the attempt is still due')
    assert.ok(isNear((await attempts()).data[0]?.created_at ?? '', Date.now()), 'attempts are logged in real time')
    receiver.answer = () => 200
    await patient.control('POST', `/webhooks/${webhook.id}/flush`)
    await until('the second attempt has come', async () => (await attempts()).count === 2)
    assert.equal(receiver.received.length, 2, 'none came between')
  })

  test('is where it was after a restart, and what was due by it is still due by it', async () => {
    await using directory = await stateDirectory()
    const flags = ['--state', directory.path, '--deposit-step-ms', String(hourMs)]
    await using first = await startProcess(...flags)
    const id = await deposit(first, await openAccount(first), { amount: '5.00' })
    const { body: moved } = await first.control('POST', '/clock', { body: { advance_ms: 90 * 60_000 } })
    assert.equal((await stepsOf(first, id)).length, 2)
    await first.stop('SIGKILL')
    await using second = await startProcess(...flags)
    assert.equal((await second.control('GET', '/clock')).body.offset_ms, moved.offset_ms)
    assert.equal((await stepsOf(second, id)).length, 2)
    await second.control('POST', '/clock', { body: { advance_ms: 30 * 60_000 } })
    await depositAt(second, id, 'payment_processed')
  })

  test('what was scheduled goes on by itself after the clock was moved', async () => {
    await using quick = await startSandbox({ kycDecisionMs: 200 })
    await quick.control('POST', '/clock', { body: { advance_ms: dayMs } })
    const { body: customer } = await quick.wire('POST', '/customers', { body: individual() })
    await customerIn(quick, customer.id, 'active')
  })
})
