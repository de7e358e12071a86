// Contract, chapters 7 and 8: what a business receives.

import assert from 'node:assert/strict'
import test from 'node:test'
import { succeed, until } from './call.ts'
import * as people from './people.ts'
import { isSigned, receive } from './receiver.ts'

/** An event as the provider would send it. Without a signature a sandbox takes it as a hint. */
const sendAsProvider = (body: string) =>
  succeed<{ message: string }>('POST', '/v0/webhooks/provider', { key: null, body })

test('every webhook is signed, and the events of an end-user come in order without a gap', async () => {
  await using receiver = await receive()
  const { externalUserId } = await people.createApproved('signed')
  const account = await people.openAccount(externalUserId)
  const body = { virtualAccountId: account.id, amount: '10.00', outcome: 'completed' }
  await succeed('POST', '/v0/sandbox/deposits', { body })
  await receiver.untilDelivered('the deposit is told', ({ type, headers }) => {
    return type === 'virtual_account.payment.received' && headers['svc-external-user-id'] === externalUserId
  })

  for (const delivered of receiver.delivered) {
    const { headers, type } = delivered
    assert.ok(isSigned(delivered, receiver.signingSecret), type)
    assert.ok(!isSigned({ ...delivered, body: Buffer.from(`${delivered.body} `) }, receiver.signingSecret))
    assert.equal(headers['svc-event-type'], type)
    assert.equal(headers['svc-attempt'], '1')
  }
  const ours = receiver.delivered.filter(({ headers }) => headers['svc-external-user-id'] === externalUserId)
  const sequence = ours.map(({ headers }) => Number(headers['svc-sequence']))
  assert.deepEqual(
    sequence,
    sequence.toSorted((one, other) => one - other),
  )
  assert.equal(ours[0]?.type, 'end_user.created')
  const last = Math.max(...sequence)
  await until(
    'no number is missing',
    async () => new Set(receiver.delivered.map(({ headers }) => Number(headers['svc-sequence']))),
    (numbers) => Array.from({ length: last }, (_, index) => index + 1).every((number) => numbers.has(number)),
  )
})

test('a webhook that is not taken comes again, as the same webhook', async () => {
  const refused = new Set<string>()
  await using receiver = await receive(({ headers, eventId }) => {
    const isTaken = !headers['svc-external-user-id']?.startsWith('again-') || refused.has(eventId)
    refused.add(eventId)
    return isTaken ? 200 : 500
  })
  const { externalUserId } = await people.createEndUser('again')
  const isOurs = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    headers['svc-external-user-id'] === externalUserId
  await receiver.untilDelivered('the second attempt', (delivered) => {
    return isOurs(delivered) && delivered.headers['svc-attempt'] === '2'
  })
  const [first, second] = receiver.delivered.filter(isOurs)
  assert.ok(first && second && isSigned(second, receiver.signingSecret))
  assert.equal(second.headers['webhook-id'], first.headers['webhook-id'])
  assert.deepEqual(second.body, first.body)
})

test('a provider event is forwarded byte for byte, and a repeat of it is not forwarded again', async () => {
  await using receiver = await receive()
  const { externalUserId } = await people.createEndUser('forwarded')
  const [first, last] = [people.newName('wh'), people.newName('wh')]
  const bytes = (id: string) =>
    `{ "event_id": "${id}",  "event_type":"acceptance.\\u0061ny", "external_user_id": "${externalUserId}", "amount": 1.10 }`
  const original = await sendAsProvider(bytes(first))
  const repeat = await sendAsProvider(bytes(first))
  assert.notEqual(repeat.message, original.message)
  await sendAsProvider(bytes(last))

  const isLast = await receiver.untilDelivered('the last event', ({ eventId }) => eventId === last)
  const forwarded = receiver.delivered.filter(({ eventId }) => eventId === first)
  assert.equal(forwarded.length, 1)
  assert.equal(String(forwarded[0]?.body), bytes(first))
  assert.equal(String(isLast.body), bytes(last))
  assert.equal(isLast.headers['svc-verified'], 'false')
  assert.ok(isSigned(isLast, receiver.signingSecret))
})

test('while a secret is rotated, a webhook is signed with the old and the new one', async () => {
  await using receiver = await receive()
  const path = `/v0/webhook-endpoints/${receiver.endpointId}`
  const rotated = await succeed<{ signingSecret: string }>('POST', `${path}/rotate-secret`, { body: {} })
  assert.notEqual(rotated.signingSecret, receiver.signingSecret)
  const { externalUserId } = await people.createEndUser('rotated')
  const delivered = await receiver.untilDelivered('an event after the rotation', ({ headers }) => {
    return headers['svc-external-user-id'] === externalUserId
  })
  assert.ok(isSigned(delivered, receiver.signingSecret))
  assert.ok(isSigned(delivered, rotated.signingSecret))
})
