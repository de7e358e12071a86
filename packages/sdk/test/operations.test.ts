// Every operation that a business may call has a method, which sends that operation and nothing else: the sample of each
// operation is called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samples } from '../examples/operations.gen.ts'
import { Causeway, operations } from '../src/index.ts'
import { scriptedServer, success } from './scripted-server.ts'

for (const [name, { method, path, auth, keyed }] of Object.entries(operations)) {
  test(`the sample of ${name} sends that operation`, async () => {
    await using server = await scriptedServer(success([]))
    await samples[name as keyof typeof operations](new Causeway({ baseUrl: server.url, apiKey: 'svc_test_x' }), {
      log: () => {},
    })
    const [seen] = server.seen
    assert.equal(seen?.method, method)
    assert.match(seen?.path.split('?')[0] ?? '', new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`))
    assert.equal(seen?.headers['idempotency-key'] !== undefined, keyed, 'a write carries a key, a read none')
    if (auth !== 'none') assert.equal(seen?.headers.authorization, 'Bearer svc_test_x')
  })
}

test('an operation of the operator is called by its id', async () => {
  await using server = await scriptedServer(success({ id: 'biz_1' }))
  const operator = new Causeway({ baseUrl: server.url, apiKey: 'operator-secret' })
  const customer = await operator.call('createCustomer', { body: { name: 'Shop' } })
  assert.equal(customer.id, 'biz_1')
  assert.deepEqual(
    server.seen.map(({ method, path, body }) => [method, path, body]),
    [['POST', '/v0/customers', '{"name":"Shop"}']],
  )
})
