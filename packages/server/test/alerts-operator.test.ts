// Alerts of the operator: facts about the deployment, with the thresholds of the rules for Prometheus.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { createOperatorCauses, thresholds } from '../src/app/operator/causes.ts'
import { createProviderStatus } from '../src/app/operator/provider.ts'
import { minutePasses, watchNow } from './alerts.ts'
import { dataOf, until } from './caller.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.operator

const stateOf = async (kind: string): Promise<string | undefined> =>
  dataOf(await call('GET', `/v0/operator/alerts?kind=${kind}`))[0]?.state

async function untilState(kind: string, state: string): Promise<void> {
  await until(`${kind} ${state}`, async () => {
    await watchNow(world)
    return (await stateOf(kind)) === state
  })
}

const receiver = await openReceiver()
after(() => receiver[Symbol.asyncDispose]())
const channel = dataOf(await call('POST', '/v0/operator/alert-channels', { type: 'slack', url: receiver.url }))

test('the thresholds are those of deploy/prometheus/alerts.yml', () => {
  const rules = readFileSync(new URL('../../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')
  const ruleOf = (name: string) => new RegExp(`alert: ${name}\\n([^]*?)(?=- alert:|$)`).exec(rules)?.[1] ?? ''
  assert.match(ruleOf('CausewayDeliveriesStand'), new RegExp(`> ${thresholds.deliveriesLateSeconds}\\n`))
  assert.match(ruleOf('CausewayOutcomesUnknown'), new RegExp(`> ${thresholds.operationsUnknownSeconds}\\n`))
  assert.match(ruleOf('CausewayOwnersAmbiguous'), new RegExp(`for: ${thresholds.ambiguousSeconds / 60}m`))
  assert.match(ruleOf('CausewayProviderFails'), new RegExp(`for: ${thresholds.providerFailingSeconds / 60}m`))
})

test('a backlog, a write without an outcome, an unreadable response and held events: each once, with its recovery', async () => {
  await using subscriber = await world.subscriber(() => 500)
  await world.post(subscriber.event())
  await until('a failed attempt', () => subscriber.receiver.seen[0])
  await world.rows`update deliveries set created_at = now() - interval '16 minutes' where business_id = ${subscriber.id}`
  await world.rows`update endpoint_lanes set wants_at = now() + interval '1 hour' where business_id = ${subscriber.id}`
  await world.rows`
    insert into operations (id, business_id, kind, subject_id, provider, provider_key, state, lease_until, created_at, must_be_read)
    values ('op_alert', ${subscriber.id}, 'customer.create', 'eu_nobody', 'bridge', 'key', 'unknown', now() + interval '1 hour',
      now() - interval '16 minutes', true)`
  await world.post({ event_id: 'wh_alerts', event_type: 'customer.updated', external_user_id: 'nobody' })
  const event = () => world.rows<{ id: string }>`select event_id as id from event_work where error is not null`
  await until('the held event', async () => (await event())[0])
  await world.rows`update event_work set error = 'owner is ambiguous', due_at = now() + interval '1 hour' where error is not null`
  await world.rows`update events set created_at = now() - interval '16 minutes' where id in (select event_id from event_work)`
  const kinds = ['deliveries.backlog', 'operations.unknown', 'provider.responses_unreadable', 'events.without_owner']
  for (const kind of kinds) await untilState(kind, 'open')
  await world.rows`update event_work set state = 'quarantined' where error is not null`
  await untilState('events.quarantined', 'open')
  await minutePasses(world, channel.id)
  await world.rows`delete from operations where id = 'op_alert'`
  await world.rows`delete from event_work where error is not null`
  await world.rows`delete from deliveries where business_id = ${subscriber.id}`
  for (const kind of [...kinds, 'events.quarantined']) await untilState(kind, 'recovered')
  await until('every message', async () => {
    await minutePasses(world, channel.id)
    const text = receiver.seen.map(({ body }) => body.toString()).join()
    return /No quarantined event/.test(text) && /Deliveries are on time/.test(text)
  })
  const all = dataOf(await call('GET', '/v0/operator/alerts'))
  assert.equal(all.length, kinds.length + 1)
})

test('a changed public key of the provider’s webhook is an alert until it is known', async () => {
  const { endpoints } = world.inside.provider
  assert.ok(endpoints)
  const [stored] = await world.rows<{ id: string; publicKey: string }>`select id, public_key from provider_webhooks`
  assert.ok(stored)
  await world.rows`update provider_webhooks set public_key = 'another key' where id = ${stored.id}`
  // The status of the provider is read at most once in five seconds.
  await untilState('provider.webhook_key_changed', 'open')
  await world.rows`update provider_webhooks set public_key = ${stored.publicKey} where id = ${stored.id}`
  await untilState('provider.webhook_key_changed', 'recovered')
})

test('a provider that fails every check for ten minutes is an alert until a check succeeds', async (t) => {
  const { inside, provider } = world
  const realNow = performance.now.bind(performance)
  const read = createOperatorCauses({ ...inside, readProviderStatus: createProviderStatus(inside) })
  const failing = async (afterSeconds: number) => {
    const clock = t.mock.method(performance, 'now', () => realNow() + afterSeconds * 1_000)
    try {
      return (await read())?.find(({ kind }) => kind === 'provider.failing')
    } finally {
      clock.mock.restore()
    }
  }
  await provider.fails({ mode: 'status', path: '/webhooks', status: 503, times: 1_000 })
  assert.equal(await failing(0), undefined)
  assert.equal(await failing(599), undefined)
  assert.deepEqual(await failing(601), { kind: 'provider.failing', details: { reason: 'unavailable' } })
  await provider.recovers()
  assert.equal(await failing(610), undefined)
})
