// Simulated errors: the effect of each mode on a client, and the work that was done behind a lost response.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Fields, individual } from './people.ts'
import { type Provider, type Sandbox, startProcess, startSandbox } from './sandbox.ts'

describe('faults', () => {
  let sandbox: Sandbox
  beforeEach(async () => {
    sandbox = await startSandbox()
  })
  afterEach(() => sandbox.stop())

  const add = async (fault: Fields, at: Provider = sandbox) => {
    const { status, body } = await at.control('POST', '/faults', { body: { path: '^/v0/customers$', ...fault } })
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body.id)
  }
  const made = async () => (await sandbox.control('GET', '/state')).body.customers.count
  const create = (key = randomUUID(), body: Fields = individual()) => sandbox.wire('POST', '/customers', { key, body })
  const raw = (signal?: AbortSignal, { url, apiKey }: Provider = sandbox) =>
    fetch(`${url}/v0/customers`, { headers: { 'api-key': apiKey }, ...(signal ? { signal } : {}) })

  test('status answers with the given status and body and does no work', async () => {
    await add({ mode: 'status', status: 503, body: { code: 'external_dependency_failed', message: 'later' } })
    const refused = await create()
    assert.deepEqual([refused.status, refused.body.code], [503, 'external_dependency_failed'])
    assert.equal(await made(), 0)
    assert.equal((await create()).status, 201, 'once, unless told otherwise')
  })

  const refusals: [code: string, status: number][] = [
    ['not_allowed', 403],
    ['frozen', 400],
    ['duplicate_record', 400],
    ['resource_state_conflict', 409],
    ['unprocessable_entity', 422],
    ['developer_limits_exceeded', 403],
    ['Invalid', 404],
  ]
  for (const [code, status] of refusals) {
    test(`refuse answers ${status} ${code} without naming a field, and the same key works afterwards`, async () => {
      await add({ mode: 'refuse', code })
      const [key, body] = [randomUUID(), individual()]
      const refused = await create(key, body)
      assert.deepEqual(
        [refused.status, Object.keys(refused.body), refused.body.code],
        [status, ['code', 'message'], code],
      )
      assert.equal(await made(), 0)
      assert.equal((await create(key, body)).status, 201)
    })
  }

  test('a 500 without a body has the shape that the provider gives its 500', async () => {
    await add({ mode: 'status', status: 500 })
    assert.deepEqual(
      (await create()).body.errors.map(({ code }) => code),
      ['unexpected'],
    )
  })

  test('delay answers late, and rightly', async () => {
    await add({ mode: 'delay', delay_ms: 300 })
    const startedAt = performance.now()
    assert.equal((await create()).status, 201)
    assert.ok(performance.now() - startedAt >= 290)
  })

  test('cut_before breaks the connection and does no work', async () => {
    await add({ mode: 'cut_before' })
    await assert.rejects(create())
    assert.equal(await made(), 0)
  })

  test('cut_after does the work, breaks the connection, and the same key gets the stored answer', async () => {
    await add({ mode: 'cut_after', method: 'POST' })
    const [key, body] = [randomUUID(), individual()]
    await assert.rejects(create(key, body))
    assert.equal(await made(), 1)
    const repeated = await create(key, body)
    assert.equal(repeated.status, 201)
    assert.equal(repeated.body.email, body['email'])
    assert.equal(await made(), 1)
  })

  test('unreadable does the work, and answers with ids alone or with the body of the order', async () => {
    await add({ mode: 'unreadable' })
    const first = await create()
    assert.deepEqual([first.status, Object.keys(first.body)], [201, ['id']])
    assert.equal(await made(), 1)
    await add({ mode: 'unreadable', body: { data: [] } })
    assert.deepEqual((await create()).body, { data: [] })
    assert.equal(await made(), 2)
    await add({ mode: 'unreadable', method: 'GET' })
    const listed = await sandbox.wire('GET', '/customers')
    assert.deepEqual(listed.body.data.map(Object.keys), [['id'], ['id']])
  })

  test('garbage answers 200 with a body that is no JSON', async () => {
    await add({ mode: 'garbage' })
    const response = await raw()
    assert.equal(response.status, 200)
    const text = await response.text()
    assert.throws(() => JSON.parse(text), SyntaxError)
  })

  test('hang never answers, and does not keep the sandbox from ending', async () => {
    await using process = await startProcess()
    await add({ mode: 'hang' }, process)
    await assert.rejects(raw(AbortSignal.timeout(300), process), { name: 'TimeoutError' })
    await add({ mode: 'hang' }, process)
    const hanging = assert.rejects(raw(undefined, process))
    const { code } = await process.stop()
    assert.equal(code, 0)
    await hanging
  })

  test('a fault applies to its method and path, as often as it says, and to nothing after it is cleared', async () => {
    await add({ mode: 'status', status: 500, method: 'GET', times: 2 })
    assert.equal((await create()).status, 201)
    assert.equal((await sandbox.wire('GET', '/virtual_accounts')).status, 200)
    assert.deepEqual([(await raw()).status, (await raw()).status, (await raw()).status], [500, 500, 200])
    await add({ mode: 'status', times: 100 })
    assert.equal((await raw()).status, 500)
    const { body: list } = await sandbox.control('GET', '/faults')
    assert.deepEqual(
      list.data.map(({ hits }) => hits),
      [2, 1],
    )
    assert.equal((await sandbox.control('DELETE', '/faults')).body.cleared, 2)
    assert.equal((await raw()).status, 200)
  })

  test('an order that makes no sense is refused', async () => {
    const orders = [
      { mode: 'explode' },
      { path: '(', mode: 'hang' },
      { mode: 'status', status: 99 },
      { mode: 'hang', times: 0 },
      { mode: 'refuse' },
      { mode: 'refuse', code: 'made_up' },
      { mode: 'status', code: 'frozen' },
    ]
    for (const order of orders) {
      const refused = await sandbox.control('POST', '/faults', { body: { path: '/', ...order } })
      assert.equal(refused.status, 400, JSON.stringify(order))
    }
  })

  test('the control stays reachable under a fault that matches everything', async () => {
    await add({ path: '.', mode: 'hang', times: 100 })
    assert.equal((await sandbox.control('GET', '/state')).status, 200)
  })
})

describe('the control', () => {
  test('is not open to pages of other sites', async () => {
    await using sandbox = await startSandbox()
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      assert.equal((await sandbox.control('POST', '/reset', { headers })).status, 403)
    }
    assert.equal((await sandbox.control('POST', '/reset', { headers: { origin: sandbox.url } })).status, 200)
  })

  test('reset forgets every object, fault and key', async () => {
    await using sandbox = await startSandbox()
    const [key, body] = [randomUUID(), individual()]
    const first = await sandbox.wire('POST', '/customers', { key, body })
    await sandbox.control('POST', '/reset')
    assert.equal((await sandbox.control('GET', '/state')).body.customers.count, 0)
    const second = await sandbox.wire('POST', '/customers', { key, body })
    assert.equal(second.status, 201)
    assert.notEqual(second.body.id, first.body.id)
  })
})
