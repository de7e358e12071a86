// Contract, chapter 9.

import assert from 'node:assert/strict'
import test from 'node:test'
import { call, dataOf, refusalOf, refuse, succeed } from './call.ts'
import * as people from './people.ts'

test('a repeat with the same key and body gets the same response, and changes nothing', async () => {
  const body = { externalUserId: people.newName('repeat') }
  const headers = { 'idempotency-key': people.newKey() }
  const first = await call('POST', '/v0/end-users', { body, headers })
  const second = await call('POST', '/v0/end-users', { body, headers })
  assert.deepEqual(dataOf(second), dataOf(first))
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
})

test('a refusal is repeated as well', async () => {
  const body = { externalUserId: people.newName('early'), source: { currency: 'usd' }, destination: people.DESTINATION }
  const options = { body, headers: { 'idempotency-key': people.newKey() } }
  const first = await call('POST', '/v0/virtual-accounts', options)
  refusalOf(404, 'holder_not_found', first)
  await succeed('POST', '/v0/end-users', { body: { externalUserId: body.externalUserId } })
  const second = await call('POST', '/v0/virtual-accounts', options)
  assert.equal(second.status, 404)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
})

test('a key with another body is refused', async () => {
  const headers = { 'idempotency-key': people.newKey() }
  await succeed('POST', '/v0/end-users', { body: { externalUserId: people.newName('key') }, headers })
  const other = { body: { externalUserId: people.newName('other') }, headers }
  await refuse(422, 'idempotency_key_reused', 'POST', '/v0/end-users', other)
  await refuse(404, 'holder_not_found', 'GET', people.pathOf(other.body.externalUserId))
})

test('the same request at the same time opens one account', async () => {
  const { externalUserId } = await people.createApproved('at-once')
  const options = { body: people.accountOf(externalUserId), headers: { 'idempotency-key': people.newKey() } }
  const replies = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/v0/virtual-accounts', options)))
  const opened = replies.filter(({ status }) => status === 200).map((reply) => dataOf<people.Account>(reply).id)
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    refusalOf(409, 'idempotency_in_progress', reply)
    assert.equal(reply.headers.get('retry-after'), '1')
  }
  assert.ok(opened.length > 0)
  const accounts = await succeed<people.Account[]>('GET', `/v0/virtual-accounts?externalUserId=${externalUserId}`)
  assert.deepEqual(new Set(opened), new Set(accounts.map(({ id }) => id)))
  assert.equal(accounts.length, 1)
})

test('a key that is empty, too long or not ASCII is refused', async () => {
  for (const key of ['', 'k'.repeat(256), '\u00e9'])
    await refuse(400, 'invalid_header', 'POST', '/v0/end-users', {
      body: { externalUserId: people.newName('bad-key') },
      headers: { 'idempotency-key': key },
    })
})
