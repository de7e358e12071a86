// POST /v0/webhooks/provider where every event must be signed (the default in live mode).

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertDeclared, assertError, operationAt, until } from '../caller.ts'
import { freshEventId } from '../provider.ts'
import { openWorld } from '../world.ts'
import { announceBody } from './announced-body.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_WEBHOOK_SIGNATURE: 'required' } })
after(() => world.stop())

const operation = operationAt('POST', '/v0/webhooks/provider')

test('200 a signed event is accepted', async () => {
  const answer = await world.post({ event_id: freshEventId(), event_type: 'x' })
  assert.equal(answer.status, 200, answer.text)
})

test('200 an event signed with the key of our endpoint at the provider is accepted as well', async () => {
  const externalUserId = 'signed-by-the-provider'
  await world.business.call('POST', '/v0/end-users', { externalUserId, email: 'ada@example.com' })
  await world.business.call('GET', `/v0/end-users/${externalUserId}/kyc-links`)
  const delivered = await until('the event of the link', async () => {
    const { body } = await world.provider.control('GET', '/webhooks/deliveries')
    return body.data.find((attempt: { event_type: string }) => attempt.event_type.startsWith('kyc_link'))
  })
  assert.equal(delivered.status, 200, delivered.response_body)
})

test('401 an event without a signature is refused and not kept', async () => {
  const event = { event_id: freshEventId(), event_type: 'x' }
  const answer = await world.post(event, { signed: false })
  assertDeclared(operation, answer)
  assertError(answer, 401, 'webhook_signature_missing')
  const rows = await world.rows`select 1 from events where provider_event_id = ${event.event_id}`
  assert.equal(rows.length, 0)
})

test('401 a missing signature is refused before a byte of the body is read', async () => {
  const announced = await announceBody('POST', `${world.url}/v0/webhooks/provider`, {
    'content-length': 900_000,
  })
  assertError(announced, 401, 'webhook_signature_missing')
})
