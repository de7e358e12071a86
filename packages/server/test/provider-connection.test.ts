// `causeway provider connect`: our endpoint at the provider is registered once, its key stored, then activated, moved,
// recreated.

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import { ApiError } from '../src/platform/errors.ts'
import { connectProvider, resumeDelivery } from '../src/provider/connection/connection.ts'
import { listProviderWebhooks } from '../src/provider/connection/webhooks.store.ts'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const deps = world.inside
const address = (path: string) => `${world.url}/v0/webhooks/${path}`
const home = address('provider')

type Theirs = { id: string; url: string; status: string; event_categories: string[] }

const theirs = async (): Promise<Theirs[]> => (await world.provider.ask('GET', '/webhooks')).body.data

test('the endpoint is registered, on, and its key is kept before any event is signed with it', async () => {
  const [webhook, ...more] = await theirs()
  assert.deepEqual([webhook?.url, webhook?.status, more], [home, 'active', []])
  const [kept] = await deps.db.read(listProviderWebhooks)
  assert.equal(kept?.id, webhook?.id)
  assert.equal(createPublicKey(kept?.publicKey ?? '').asymmetricKeyType, 'rsa')
})

test('a repeat changes nothing, and several at once make no second endpoint', async () => {
  const before = await theirs()
  const answers = await Promise.all([1, 2, 3].map(() => connectProvider(deps, home)))
  assert.deepEqual(
    answers.map(({ created }) => created),
    [false, false, false],
  )
  assert.deepEqual(await theirs(), before)
})

test('an endpoint that was switched off is switched on again, and what waited for it comes', async () => {
  const [webhook] = await theirs()
  await world.provider.ask('PUT', `/webhooks/${webhook?.id}`, { status: 'disabled' })
  assert.equal((await connectProvider(deps, home)).webhookId, webhook?.id)
  assert.equal((await theirs())[0]?.status, 'active')
  await world.business.user('approved') // by the provider's events alone
})

test('an endpoint that does not get all that we need is widened, keeps what it had, and deposit events come again', async () => {
  const [webhook] = await theirs()
  await world.provider.ask('PUT', `/webhooks/${webhook?.id}`, { event_categories: ['customer', 'transfer'] })
  const missing = ['kyc_link', 'virtual_account.activity', 'rfi']
  assert.deepEqual((await connectProvider(deps, home)).addedCategories, missing)
  const [widened] = await theirs()
  assert.deepEqual(new Set(widened?.event_categories), new Set(['customer', 'transfer', ...missing]))
  assert.deepEqual([widened?.id, widened?.status], [webhook?.id, 'active'])
  assert.deepEqual((await connectProvider(deps, home)).addedCategories, [], 'a repeat changes nothing')
})

test('a provider that does not know the category of its beta sends the others', async () => {
  const [webhook] = await theirs()
  const path = `^/v0/webhooks/${webhook?.id}$`
  const refusal = {
    code: 'invalid_parameters',
    source: { location: 'body', key: { event_categories: 'Not supported' } },
  }
  const refuseOnce = (times: number) =>
    world.provider.fails({ path, method: 'PUT', mode: 'status', status: 400, body: refusal, times })
  await world.provider.ask('PUT', `/webhooks/${webhook?.id}`, { event_categories: ['customer'] })
  await refuseOnce(1)
  const settled = ['kyc_link', 'virtual_account.activity']
  assert.deepEqual((await connectProvider(deps, home)).addedCategories, settled)
  assert.deepEqual(new Set((await theirs())[0]?.event_categories), new Set(['customer', ...settled]))
  await world.provider.ask('PUT', `/webhooks/${webhook?.id}`, { event_categories: ['customer'] })
  await refuseOnce(2)
  await assert.rejects(connectProvider(deps, home), { code: 'provider_rejected' })
  assert.deepEqual((await connectProvider(deps, home)).addedCategories, [...settled, 'rfi'])
  await world.provider.recovers()
})

test('another address moves the endpoint, by way of switching it off, and leaves none behind', async () => {
  const [webhook] = await theirs()
  await world.provider.fails({
    path: `^/v0/webhooks/${webhook?.id}$`,
    method: 'PUT',
    mode: 'delay',
    delay_ms: 0,
    times: 100,
  })
  assert.deepEqual(await connectProvider(deps, address('moved')), {
    webhookId: webhook?.id,
    url: address('moved'),
    created: false,
    addedCategories: [],
  })
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(hits, 3, 'off, moved, on')
  await world.provider.recovers()
  const [moved, ...more] = await theirs()
  assert.deepEqual([moved?.url, moved?.status, more], [address('moved'), 'active', []])
  await connectProvider(deps, home)
})

test('a move that was cut off half-way is completed by a repeat', async () => {
  const [webhook] = await theirs()
  await world.provider.fails({ path: `^/v0/webhooks/${webhook?.id}$`, method: 'PUT', mode: 'cut_after' })
  await assert.rejects(connectProvider(deps, address('moved')), { code: 'provider_timeout' })
  assert.equal((await theirs())[0]?.status, 'disabled')
  await connectProvider(deps, address('moved'))
  const [moved] = await theirs()
  assert.deepEqual([moved?.url, moved?.status], [address('moved'), 'active'])
  await connectProvider(deps, home)
})

test('an endpoint that was deleted at the provider is made anew, on the same day too', async () => {
  const [old] = await theirs()
  await world.provider.ask('DELETE', `/webhooks/${old?.id}`)
  const made = await connectProvider(deps, home)
  assert.equal(made.created, true)
  assert.notEqual(made.webhookId, old?.id)
  const [webhook] = await theirs()
  assert.deepEqual([webhook?.id, webhook?.status], [made.webhookId, 'active'])
  await until('the new key', () => world.business.user('approved'))
})

test('an address that the provider refuses is told as a refusal, not as an outage', async () => {
  await assert.rejects(connectProvider(deps, 'http://203.0.113.7/hook'), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.code, error.status], ['provider_rejected', 422])
    return true
  })
})

test('a provider without an API for endpoints is not asked: a person registers the address', async () => {
  await world.provider.recovers()
  await world.provider.fails({ path: '^/v0/webhooks', mode: 'delay', delay_ms: 0, times: 100 })
  const byHand = { ...deps, provider: { ...deps.provider, endpoints: null } }
  await assert.rejects(connectProvider(byHand, home), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.code, error.status], ['not_offered', 422])
    assert.match(`${error.message} ${error.extra.resolution}`, /dashboard.*PROVIDER_WEBHOOK_PUBLIC_KEYS/)
    return true
  })
  await resumeDelivery(byHand, 'wh_1')
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(hits, 0)
  await world.provider.recovers()
})
