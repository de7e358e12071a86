// Real deliveries of the real server, with both kinds of signature: believed by the secret, and by the published keys.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../../../server/test/caller.ts'
import { openReceiver, type Receiver } from '../../../server/test/receiver.ts'
import { openWorld, type World } from '../../../server/test/world.ts'
import { Causeway } from '../../src/index.ts'
import { createKeySet, SignatureError, verifyByKeys } from '../../src/webhooks/index.ts'
import { answer, scriptedServer } from '../scripted-server.ts'

let world: World
let receiver: Receiver
let api: Causeway
before(async () => {
  world = await openWorld({ env: { WEBHOOK_SIGNATURE_SCHEMES: 'v1,v1a' } })
  receiver = await openReceiver()
  api = new Causeway({ baseUrl: world.url, apiKey: world.business.apiKey })
})
after(async () => {
  await receiver[Symbol.asyncDispose]()
  await world.stop()
})

test('a delivery is believed by its secret and by the published keys, for its own endpoint alone', async () => {
  const { id: endpointId, signingSecret } = await api.webhookEndpoints.create({ webhookUrl: receiver.url })
  await api.endUsers.create({ externalUserId: 'ada é' })
  const { body, headers } = await until('the delivery', () => receiver.seen[0])

  const event = await api.webhooks.verify(body, headers, signingSecret)
  assert.ok(event.type === 'end_user.created')
  assert.equal(event.data.externalUserId, 'ada é')
  const { webhookId, sentAt, ...facts } = event.delivery
  assert.deepEqual(facts, { endpointId, sequence: 1, attempt: 1, externalUserId: 'ada é', isVerified: true })
  assert.ok(webhookId.startsWith(event.id) && Math.abs(Date.now() - sentAt.getTime()) < 60_000)

  const byKey = await api.webhooks.verifyByKeys(body, headers, { endpointId })
  assert.deepEqual(byKey, event)
  const changed = Buffer.concat([body, Buffer.from(' ')])
  const reasonOf = (verifying: Promise<unknown>) => verifying.catch(({ reason }: SignatureError) => reason)
  assert.equal(await reasonOf(api.webhooks.verifyByKeys(changed, headers, { endpointId })), 'signature_mismatch')
  const elsewhere = api.webhooks.verifyByKeys(body, headers, { endpointId: 'whe_other' })
  assert.equal(await reasonOf(elsewhere), 'sent_to_another_endpoint')
  const [v1 = ''] = String(headers['webhook-signature']).split(' ')
  const onlyV1 = { ...headers, 'webhook-signature': v1 }
  assert.equal(await reasonOf(api.webhooks.verifyByKeys(body, onlyV1, { endpointId })), 'no_signature_by_key')
})

test('keys are read once for many webhooks, again when none fits, and not for each forgery', async (t) => {
  const { body, headers } = receiver.seen[0] ?? assert.fail('no delivery came')
  const published = await (await fetch(`${world.url}/.well-known/jwks.json`)).json()
  const endpointId = String(headers['webhook-id']).replace(/^.*_whe_/, 'whe_')
  await using server = await scriptedServer(answer(200, { keys: [] }), answer(200, published))
  const keySet = createKeySet(server.url)
  const options = { endpointId, toleranceSeconds: 3_600 }
  const verifying = () => verifyByKeys(body, headers, keySet, options)

  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  await assert.rejects(verifying, SignatureError)
  await assert.rejects(verifying, SignatureError)
  assert.equal(server.seen.length, 1, 'what was read a moment ago is not read again')
  t.mock.timers.tick(11_000)
  for (let times = 0; times < 3; times++) await verifying()
  assert.equal(server.seen.length, 2)
  t.mock.timers.tick(290_000)
  await verifying()
  assert.equal(server.seen.length, 2, 'keys are kept for five minutes')
})
