// Idempotency keys: one key makes one object, in repeats, races and after 24 hours.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { individual } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('idempotency keys', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  const customersNow = async () => (await sandbox.control('GET', '/state')).body.customers.count

  test('a POST without a key is refused and makes nothing', async () => {
    const before = await customersNow()
    const refused = await sandbox.wire('POST', '/customers', { body: individual(), key: null })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.source.location, 'header')
    assert.equal(await customersNow(), before)
  })

  test('a key on GET, PUT or DELETE is refused and changes nothing', async () => {
    const { body: customer } = await sandbox.wire('POST', '/customers', { body: individual() })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { first_name: 'Grace' } : undefined
      const refused = await sandbox.wire(method, `/customers/${customer.id}`, { key: randomUUID(), body })
      assert.equal(refused.status, 400, method)
    }
    const { body: unchanged } = await sandbox.wire('GET', `/customers/${customer.id}`)
    assert.deepEqual(unchanged, customer)
  })

  test('twenty concurrent requests with one key make one object and get one answer', async () => {
    const before = await customersNow()
    const [key, body] = [randomUUID(), individual()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sandbox.wire('POST', '/customers', { key, body })),
    )
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(answers[0]?.status, 201)
    assert.equal(await customersNow(), before + 1)
  })

  test('concurrent requests with one key make one webhook, although its key pair takes a while', async () => {
    const key = randomUUID()
    const body = { url: 'https://example.com/hooks', event_epoch: 'webhook_creation' }
    // Uses up the key pair that was made ahead, so that the simultaneous requests overlap while theirs is made.
    await sandbox.wire('POST', '/webhooks', { body })
    const answers = await Promise.all(Array.from({ length: 5 }, () => sandbox.wire('POST', '/webhooks', { key, body })))
    assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1)
    assert.equal((await sandbox.control('GET', '/state')).body.webhooks.count, 2)
  })

  test('the same parameters in another order are the same request; other ones are refused as a duplicate', async () => {
    const [key, body] = [randomUUID(), individual()]
    const first = await sandbox.wire('POST', '/customers', { key, body })
    const reordered = Object.fromEntries(Object.entries(body).reverse())
    assert.deepEqual(await sandbox.wire('POST', '/customers', { key, body: reordered }), first)
    const other = await sandbox.wire('POST', '/customers', { key, body: { ...body, first_name: 'Grace' } })
    assert.equal(other.status, 400)
    assert.equal(other.body.code, 'duplicate_record')
    const elsewhere = await sandbox.wire('POST', '/kyc_links', { key, body })
    assert.equal(elsewhere.body.code, 'duplicate_record')
  })

  test('the answer is replayed as it was, even after the object has changed, and refusals are replayed too', async () => {
    const [key, body] = [randomUUID(), individual()]
    const first = await sandbox.wire('POST', '/customers', { key, body })
    await sandbox.wire('PUT', `/customers/${first.body.id}`, { body: { first_name: 'Grace' } })
    assert.deepEqual(await sandbox.wire('POST', '/customers', { key, body }), first)

    const refusedKey = randomUUID()
    const refused = await sandbox.wire('POST', '/customers', { key: refusedKey, body })
    assert.equal(refused.status, 400)
    assert.match(refused.body.message, /A customer with this email already exists/)
    await sandbox.wire('DELETE', `/customers/${first.body.id}`)
    assert.deepEqual(await sandbox.wire('POST', '/customers', { key: refusedKey, body }), refused)
  })

  test('a replayed terms link is the same link', async () => {
    const key = randomUUID()
    const first = await sandbox.wire('POST', '/customers/tos_links', { key })
    assert.equal(first.status, 201)
    assert.deepEqual(await sandbox.wire('POST', '/customers/tos_links', { key }), first)
  })

  test('a key is good for 24 hours and refused with 422 afterwards', async () => {
    let clock = Date.now()
    await using patient = await startSandbox({ now: () => clock })
    const { wire, control } = patient
    const [key, body] = [randomUUID(), individual()]
    const first = await wire('POST', '/customers', { key, body })
    clock += 24 * 60 * 60 * 1000 - 1
    assert.deepEqual(await wire('POST', '/customers', { key, body }), first)
    clock += 2
    const late = await wire('POST', '/customers', { key, body })
    assert.equal(late.status, 422)
    assert.equal(late.body.message, 'Idempotency Key Retry Deadline Exceeded')
    assert.equal((await control('GET', '/state')).body.customers.count, 1)
  })
})
