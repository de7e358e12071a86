// Events: the list of all events, a complete envelope, and no event without a change.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { approvedCustomer, individual } from './people.ts'
import { startSandbox, until } from './sandbox.ts'
import { startReceiver, subscribe } from './webhook-receiver.ts'

describe('events', () => {
  test('the list of all events ascends, pages by event id and filters by category', async () => {
    await using sandbox = await startSandbox()
    for (let index = 0; index < 4; index += 1) {
      await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
    }
    await sandbox.wire('POST', '/kyc_links', { body: { email: 'a@example.com', type: 'individual' } })
    const list = async (query: string) => (await sandbox.wire('GET', `/webhook_events${query}`)).body
    const all = await list('')
    assert.deepEqual(
      all.data.map((event) => event.event_sequence),
      [1, 2, 3, 4, 5],
    )
    const second = all.data[1]?.event_id
    const after = await list(`?starting_after=${second}&limit=2`)
    assert.deepEqual(
      after.data.map((event) => event.event_sequence),
      [3, 4],
    )
    const before = await list(`?ending_before=${second}`)
    assert.deepEqual(
      before.data.map((event) => event.event_sequence),
      [1],
    )
    assert.deepEqual(
      (await list('?category=kyc_link')).data.map((event) => event.event_sequence),
      [5],
    )
    assert.equal((await list('?limit=501')).code, 'invalid_parameters')
  })

  test('an envelope is complete, and its links work although the state holds none', async () => {
    await using sandbox = await startSandbox()
    await using receiver = await startReceiver()
    await subscribe(sandbox, receiver)
    const { body: link } = await sandbox.wire('POST', '/kyc_links', {
      body: { email: 'a@example.com', type: 'individual' },
    })
    const { event } = await until('the event has arrived', () => receiver.received[0])
    assert.deepEqual(event.event_object, link)
    const accepted = await sandbox.control('POST', '/terms/accept', { body: { link: event.event_object.tos_link } })
    assert.equal(accepted.status, 200)
    assert.match(event.event_id, /^wh_[A-Za-z0-9]{22}$/)
    const {
      event_id: _id,
      event_created_at: createdAt,
      event_developer_id: developerId,
      event_object: _o,
      ...rest
    } = event
    assert.match(createdAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.match(developerId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, {
      api_version: 'v0',
      event_sequence: 1,
      event_category: 'kyc_link',
      event_type: 'kyc_link.created',
      event_object_id: link.id,
      event_object_status: 'not_started',
      event_object_changes: {},
    })
  })

  test('an update that changes nothing is no event', async () => {
    await using sandbox = await startSandbox()
    const customer = await approvedCustomer(sandbox, { first_name: 'Grace' })
    const count = async () => (await sandbox.control('GET', '/events')).body.count
    const before = await count()
    await sandbox.wire('PUT', `/customers/${customer.id}`, { body: { first_name: 'Grace' } })
    assert.equal(await count(), before)
    await sandbox.wire('PUT', `/customers/${customer.id}`, { body: { first_name: individual()['first_name'] } })
    const { body } = await sandbox.control('GET', '/events')
    assert.equal(body.count, before + 1)
    const changes = body.data.at(-1)?.event_object_changes ?? {}
    assert.deepEqual(Object.keys(changes).sort(), ['first_name', 'updated_at'])
    assert.deepEqual(changes['first_name'], ['Grace', 'Ada'])
  })
})
