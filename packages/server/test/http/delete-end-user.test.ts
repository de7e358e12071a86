// deleteEndUser: DELETE /v0/end-users/{externalUserId}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openClient } from '../../src/platform/postgres/client.ts'
import { type Answer, assertError, assertSameAnswer, dataOf, until } from '../caller.ts'
import { userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business

/** Lists tables about end-users that contain a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { query, close } = await openClient(world.database, { applicationName: 'test' })
  try {
    const tables = [
      'end_users',
      'tos_links',
      'virtual_accounts',
      'deposits',
      'events',
      'operations',
      'audit_log',
      'event_work',
    ]
    const found: string[] = []
    for (const table of tables) {
      const body = table === 'events' ? `, convert_from(t.body, 'UTF8')` : ''
      const rows = await query.unsafe(
        `select 1 from ${table} t where concat(row_to_json(t)::text${body}) like '%${text}%' limit 1`,
      )
      if (rows.length > 0) found.push(table)
    }
    return found
  } finally {
    await close()
  }
}

test('200 nothing of the end-user is left but the places of its events, and the name is free again', async () => {
  const user = await world.business.user('approved')
  const customer = await world.business.customerOf(user)
  const { id: account = '' } = await world.business.account(user)
  const deposit = await world.business.deposit(account, { amount: '25.00' }, 'completed')
  await until(
    'deliveries',
    async () => (await call('GET', '/v0/events?eventType=virtual_account.payment.received')).body.data[0],
  )
  await call('POST', `/v0/virtual-accounts/${account}/deactivate`)
  const before = dataOf(await call('GET', `/v0/events?externalUserId=${user}&limit=100`))
  assert.ok(before.length >= 5)

  assert.deepEqual(dataOf(await call('DELETE', userPath(user))), { deleted: true })

  for (const path of [userPath(user), `/v0/virtual-accounts/${account}`, `/v0/deposits/${deposit.id}`])
    assert.equal((await call('GET', path)).status, 404, path)
  assert.deepEqual(await tablesWith(user), [])
  assert.deepEqual(await tablesWith(customer), [])
  for (const { id, eventType, position } of before) {
    const event = dataOf(await call('GET', `/v0/events/${id}`))
    assert.deepEqual([event.eventType, event.position, event.externalUserId], [eventType, position, null])
    assert.deepEqual(Object.keys(event.payload).sort(), ['erased', 'event_id', 'event_type'])
  }
  assert.equal((await call('POST', '/v0/end-users', { externalUserId: user })).status, 200)
})

test('404 a second time, and byte for byte the same for what belongs to another business', async () => {
  const user = await world.business.user()
  const { apiKey: key } = await world.otherBusiness()
  const foreign = await call('DELETE', userPath(user), undefined, { key })
  assertSameAnswer(foreign, await call('DELETE', userPath('nobody-at-all'), undefined, { key }))
  assert.equal((await call('DELETE', userPath(user))).status, 200)
  assertError(await call('DELETE', userPath(user)), 404, 'holder_not_found', { param: 'externalUserId' })
})

test('409 while an account takes deposits, money is on its way, or the outcome of a change is not known', async () => {
  const refusal = (answer: Answer, reason: string) =>
    assertError(answer, 409, 'end_user_in_use', { param: 'externalUserId', details: { externalUserId: reason } })
  const user = await world.business.user('approved')
  const { id: account = '' } = await world.business.account(user)
  refusal(await call('DELETE', userPath(user)), 'account_open')

  await world.business.deposit(account, { amount: '30.00', outcome: 'in_review' }, 'in_review')
  await world.provider.fails({ about: user, mode: 'cut_after', under: '/[^/]+/deactivate' })
  assert.equal((await call('POST', `/v0/virtual-accounts/${account}/deactivate`)).status, 504)
  const open = await call('DELETE', userPath(user))
  refusal(open, 'deposit_open')
  await until('the account is deactivated', async () => {
    const { status } = dataOf(await call('GET', `/v0/virtual-accounts/${account}`))
    return status === 'deactivated'
  })
  refusal(await call('DELETE', userPath(user)), 'deposit_open')
  assert.equal(dataOf(await call('GET', userPath(user))).externalUserId, user)
})

test('200 an event that comes afterwards moves nothing and disturbs nobody', async () => {
  const user = await world.business.user('approved')
  const customer = await world.business.customerOf(user)
  assert.equal((await call('DELETE', userPath(user))).status, 200)
  await world.provider.control('POST', `/customers/${customer}/kyc`, { decision: 'pause' })
  const other = await world.business.user('approved')
  assert.equal(dataOf(await call('GET', userPath(other))).kycStatus, 'approved')
  assert.ok(!world.log.some((line) => line.includes('"level":50')), 'an error was logged')
})

test('200 the erasure begins where the record of the end-user begins, however long the stream is', async () => {
  const { apiKey: key, id: customerId, user: newUser } = await world.otherBusiness()
  const { query, close } = await openClient(world.database, { applicationName: 'test' })
  try {
    await query.unsafe(`
      update event_streams set position = position + 100000 where business_id = '${customerId}';
      create table erasure_steps (end_user_id text, position bigint);
      create function note_step() returns trigger language plpgsql security definer as $$
        begin insert into erasure_steps values (new.end_user_id, new.position); return new; end $$;
      create trigger note_step before insert or update on erasures for each row execute function note_step()`)
    const user = await newUser()
    const { id } = dataOf(await world.business.call('GET', userPath(user), undefined, { key }))
    assert.equal((await world.business.call('DELETE', userPath(user), undefined, { key })).status, 200)
    const steps = await query<{ position: number }[]>`
      select position::int from erasure_steps where end_user_id = ${id} order by position`
    assert.ok(steps.length > 0 && steps.every(({ position }) => position >= 100_000), JSON.stringify(steps))
  } finally {
    await query.unsafe('drop trigger note_step on erasures; drop table erasure_steps')
    await close()
  }
})

test('200 of several requests at once one erases, and the others find nobody', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await world.business.user()
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('DELETE', userPath(user))))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 404, 404, 404, 404, 404])
  }
})
