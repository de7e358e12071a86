// Requests for information: opened and moved by command, read on the wire, reported by events.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { approvedCustomer, deposit, openAccount } from './people.ts'
import { startSandbox } from './sandbox.ts'

describe('requests for information', () => {
  test('one about a deposit names customer and deposit, quotes what is known of people, and links to the dashboard', async () => {
    await using sandbox = await startSandbox({ depositStepMs: 1 })
    const account = await openAccount(sandbox)
    const id = await deposit(sandbox, account, { amount: '10.00' })
    const opened = await sandbox.control('POST', '/rfis', {
      body: { deposit_id: id, questions: ['Why?'], custom_body: 'Please explain.', deadline_ms: 3_600_000 },
    })
    assert.equal(opened.status, 200)
    const rfi = opened.body
    assert.deepEqual([rfi.state, rfi.referent_type, rfi.referent_id], ['on_developer', 'deposit', id])
    assert.equal(rfi.customer_id, account.customer_id)
    assert.deepEqual(rfi.requested_items, [{ content: 'Why?' }])
    assert.equal(rfi.context['custom_body'], 'Please explain.')
    assert.equal(Date.parse(rfi.deadline) - Date.parse(rfi.created_at), 3_600_000)
    assert.equal(rfi.dashboard_url, `${sandbox.url}/rfis/${rfi.id}`)
    assert.deepEqual((await sandbox.wire('GET', `/rfis/${rfi.id}`)).body, rfi)
  })

  test('the list is newest first, by state and customer, in pages', async () => {
    await using sandbox = await startSandbox()
    const { id: customer_id } = await approvedCustomer(sandbox)
    const ids: string[] = []
    for (const body of [{}, { customer_id }, { customer_id }])
      ids.unshift((await sandbox.control('POST', '/rfis', { body })).body.id)
    const [third, second, first] = ids
    await sandbox.control('POST', `/rfis/${second}`, { body: { state: 'closed' } })
    const list = async (query = '') => (await sandbox.wire('GET', `/rfis${query}`)).body
    assert.deepEqual(
      (await list()).data.map(({ id }) => id),
      ids,
    )
    assert.equal((await list()).count, 3)
    assert.deepEqual(
      (await list('?state=on_developer')).data.map(({ id }) => id),
      [third, first],
    )
    assert.deepEqual(
      (await list(`?customer_id=${customer_id}&state=closed`)).data.map(({ id }) => id),
      [second],
    )
    assert.deepEqual(
      (await list(`?starting_after=${third}&limit=1`)).data.map(({ id }) => id),
      [second],
    )
    assert.equal((await list('?state=open')).code, 'invalid_parameters')
    assert.equal((await sandbox.wire('GET', '/rfis/unknown')).status, 404)
  })

  test('any state follows any other; each change is one event, and a reopened one has no end', async () => {
    await using sandbox = await startSandbox()
    const { body: rfi } = await sandbox.control('POST', '/rfis', { body: {} })
    assert.deepEqual([rfi.customer_id, rfi.referent_type, rfi.expected_action_on_expiry], [null, null, null])
    const move = async (body: object) => (await sandbox.control('POST', `/rfis/${rfi.id}`, { body })).body
    assert.notEqual((await move({ state: 'closed' })).closed_at, null)
    const reopened = await move({ state: 'on_developer' })
    assert.deepEqual([reopened.closed_at, reopened.state], [null, 'on_developer'])
    assert.equal((await move({ deadline_ms: 1 })).state_changed_at, reopened.state_changed_at)
    const { data } = (await sandbox.control('GET', '/events')).body
    assert.deepEqual(
      data.map(({ event_category, event_type }) => [event_category, event_type]),
      [
        ['rfi', 'rfi.created'],
        ['rfi', 'rfi.updated.status_transitioned'],
        ['rfi', 'rfi.updated.status_transitioned'],
        ['rfi', 'rfi.updated'],
      ],
    )
  })

  test('a deposit of another customer, unknown ids and an unknown state are refused', async () => {
    await using sandbox = await startSandbox({ depositStepMs: 1 })
    const account = await openAccount(sandbox)
    const deposit_id = await deposit(sandbox, account, { amount: '10.00' })
    const { id: customer_id } = await approvedCustomer(sandbox)
    const post = async (path: string, body: object) => (await sandbox.control('POST', path, { body })).status
    assert.equal(await post('/rfis', { deposit_id, customer_id }), 409)
    assert.equal(await post('/rfis', { deposit_id: 'unknown' }), 404)
    assert.equal(await post('/rfis', { customer_id: 'unknown' }), 404)
    assert.equal(await post('/rfis/unknown', { state: 'closed' }), 404)
    const { body: rfi } = await sandbox.control('POST', '/rfis', { body: {} })
    assert.equal(await post(`/rfis/${rfi.id}`, { state: 'answered' }), 400)
  })
})
