// Contract, chapters 1 and 3; specification, "Errors".

import assert from 'node:assert/strict'
import test from 'node:test'
import { adminSecret, call, needsOperator, refusalOf, refuse, succeed } from './call.ts'
import * as people from './people.ts'

test('a body that cannot be read is refused by its fault', async () => {
  await refuse(400, 'invalid_json', 'POST', '/v0/end-users', { body: '{' })
  await refuse(400, 'body_required', 'POST', '/v0/end-users', { body: '' })
  const { param } = await refuse(400, 'missing_field', 'POST', '/v0/end-users', { body: {} })
  assert.equal(param, 'externalUserId')
  const xml = { body: '<a/>', headers: { 'content-type': 'application/xml' } }
  const reply = await call('POST', '/v0/end-users', xml)
  refusalOf(415, 'unsupported_media_type', reply)
  assert.match(reply.headers.get('accept-post') ?? '', /application\/json/)
  const large = { body: { externalUserId: 'a', metadata: { a: 'a'.repeat(300 * 1024) } } }
  await refuse(413, 'payload_too_large', 'POST', '/v0/end-users', large)
})

test('an unknown field is refused, with what was probably meant, and without the value', async () => {
  const body = { externalUserId: people.newName('field'), emial: 'grace@example.com' }
  const error = await refuse(400, 'unknown_field', 'POST', '/v0/end-users', { body })
  assert.equal(error.param, 'emial')
  assert.match(JSON.stringify(error), /email/)
  assert.ok(!JSON.stringify(error).includes('grace@example.com'))
})

test('an unknown path is 404, and a wrong method is 405 with Allow', async () => {
  await refuse(404, 'route_not_found', 'GET', '/v0/nothing')
  const reply = await call('PUT', '/v0/end-users')
  refusalOf(405, 'method_not_allowed', reply)
  const allowed = reply.headers.get('allow')?.split(/, ?/) ?? []
  assert.ok(allowed.includes('GET') && allowed.includes('POST'), String(allowed))
})

test('the caller finds its own X-Request-Id in the response', async () => {
  const id = people.newName('request')
  const reply = await call('GET', '/v0/end-users?limit=0', { headers: { 'x-request-id': id } })
  assert.equal(refusalOf(400, 'invalid_query', reply).requestId, id)
  const other = await call('GET', '/v0/whoami', { headers: { 'x-request-id': 'not an id' } })
  assert.match(other.headers.get('x-request-id') ?? '', /^req_/)
})

test('an error is also available as RFC 9457', async () => {
  const reply = await call('GET', '/v0/nothing', { headers: { accept: 'application/problem+json' } })
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const problem = JSON.parse(reply.text) as Record<string, unknown>
  assert.deepEqual([problem['status'], problem['code']], [404, 'route_not_found'])
  assert.ok(problem['type'] && problem['title'])
})

test('what belongs to another business is as absent as what does not exist', { skip: needsOperator }, async () => {
  const operator = { key: adminSecret ?? '' }
  const customer = await succeed<{ id: string }>('POST', '/v0/customers', { ...operator, body: { name: 'Acceptance' } })
  const path = `/v0/customers/${customer.id}`
  const { key } = await succeed<{ key: string }>('POST', `${path}/api-keys`, { ...operator, body: { name: 'other' } })
  const { externalUserId } = await people.createApproved('foreign')
  const account = await people.openAccount(externalUserId)
  const [event] = await succeed<{ id: string }[]>('GET', `/v0/events?externalUserId=${externalUserId}`)

  const requestId = { 'x-request-id': 'the-same' }
  const absent = people.newName('absent')
  const pairs: [method: string, foreign: string, absent: string][] = [
    ['GET', people.pathOf(externalUserId), people.pathOf(absent)],
    ['GET', `${people.pathOf(externalUserId)}/kyc-links`, `${people.pathOf(absent)}/kyc-links`],
    ['POST', `${people.pathOf(externalUserId)}/tos-link`, `${people.pathOf(absent)}/tos-link`],
    ['GET', `/v0/virtual-accounts/${account.id}`, '/v0/virtual-accounts/va_00000000000000000000000000'],
    ['POST', `/v0/virtual-accounts/${account.id}/deactivate`, '/v0/virtual-accounts/va_absent/deactivate'],
    ['GET', `/v0/events/${event?.id}`, '/v0/events/evt_absent'],
  ]
  for (const [method, ...paths] of pairs) {
    const replies = await Promise.all(paths.map((path) => call(method, path, { key, headers: requestId })))
    const [foreign, none] = replies.map(({ status, text }) => ({ status, text }))
    assert.equal(foreign?.status, 404)
    // The resolution may name the path that was asked for.
    assert.equal(foreign?.text.replaceAll(externalUserId, absent), none?.text, `${method} ${paths[0]}`)
  }
  assert.deepEqual(await succeed('GET', '/v0/end-users', { key }), [])
  assert.deepEqual(await succeed('GET', '/v0/virtual-accounts', { key }), [])
  await succeed('PATCH', path, { ...operator, body: { status: 'suspended' } })
})
