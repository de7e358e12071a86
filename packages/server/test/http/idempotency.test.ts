// Idempotency-Key: a retry gets the stored response and is not done again, whatever happens in between; and the stored
// response is encrypted.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { freshUserId } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const { db } = world.inside

let serial = 0
const freshKey = () => `key-${process.pid}-${++serial}`
const under = (key: string, extra = {}) => ({ headers: { 'idempotency-key': key }, ...extra })
const createUser = (externalUserId: string, key: string, extra = {}) =>
  call('POST', '/v0/end-users', { externalUserId }, under(key, extra))

test('a repeat gets the first answer byte for byte, is marked as a repeat, and does nothing', async () => {
  const [user, key] = [freshUserId(), freshKey()]
  const first = await createUser(user, key)
  const repeat = await createUser(user, key)
  assert.deepEqual([first.status, repeat.status], [200, 200])
  assert.equal(repeat.text, first.text)
  assert.equal(first.headers.has('idempotent-replayed'), false)
  assert.equal(repeat.headers.get('idempotent-replayed'), 'true')
  assert.equal(repeat.headers.get('content-type'), first.headers.get('content-type'))
  const { data } = (await call('GET', '/v0/events?eventType=end_user.created&limit=100')).body
  assert.equal(data.filter((event: { externalUserId: string }) => event.externalUserId === user).length, 1)
})

test('the same body in another order of members is the same request', async () => {
  const [externalUserId, key] = [freshUserId(), freshKey()]
  const first = await call('POST', '/v0/end-users', { externalUserId, metadata: { a: '1', b: '2' } }, under(key))
  const raw = `{ "metadata":{"b":"2","a":"1"},"externalUserId" :"${externalUserId}"}`
  assert.equal((await call('POST', '/v0/end-users', undefined, under(key, { raw }))).text, first.text)
})

test('another body under the same key is 422 and nothing is done', async () => {
  const [one, other, key] = [freshUserId(), freshUserId(), freshKey()]
  await createUser(one, key)
  assertError(await createUser(other, key), 422, 'idempotency_key_reused', { param: 'Idempotency-Key' })
  assert.equal((await call('GET', `/v0/end-users/${other}`)).status, 404)
})

test('a refusal that any repeat would get again is kept, request id included', async () => {
  const [user, key] = [freshUserId(), freshKey()]
  const absent = await call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
  assertError(absent, 404, 'holder_not_found')
  await call('POST', '/v0/end-users', { externalUserId: user })
  const repeat = await world.business.call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
  assert.equal(repeat.text, absent.text)
})

test('of 16 requests at once with one key exactly one is done: one account here, one upstream', async () => {
  const [user, key] = [await world.business.user('approved'), freshKey()]
  await world.provider.fails({ about: user, mode: 'delay', delay_ms: 150 })
  const ask = () => call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
  const answers = await Promise.all(Array.from({ length: 16 }, ask))
  const made = answers.filter(({ status }) => status === 200)
  assert.ok(made.length >= 1)
  assert.equal(new Set(made.map(({ text }) => text)).size, 1)
  for (const answer of answers) {
    if (answer.status === 200) continue
    assertError(answer, 409, 'idempotency_in_progress')
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.equal(answer.body.error.retryable, true)
  }
  assert.equal((await ask()).text, made[0]?.text)
  assert.equal((await world.business.accounts(user)).length, 1)
  assert.equal((await world.provider.accountsOf(user)).length, 1)
})

test('a failure of the provider is not kept: the repeat under the same key completes the one account', async () => {
  for (const mode of ['cut_after', 'cut_before', 'unreadable']) {
    const [user, key] = [await world.business.user('approved'), freshKey()]
    await world.provider.fails({ about: user, mode })
    const ask = () => call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
    const lost = await ask()
    assert.ok(lost.status >= 500, lost.text)
    const repeat = await until('the account', async () => {
      const answer = await ask()
      return answer.status !== 409 && answer // the loop may be reading it
    })
    assert.equal(repeat.status, 200, repeat.text)
    assert.equal(repeat.headers.has('idempotent-replayed'), false)
    assert.equal((await ask()).text, repeat.text)
    assert.equal((await world.business.accounts(user)).length, 1, mode)
    assert.equal((await world.provider.accountsOf(user)).length, 1, mode)
  }
})

test('a refusal that says "try again" is not kept: the repeat under the same key is done once the way is free', async () => {
  const [user, key] = [await world.business.user('approved'), freshKey()]
  const { id } = await world.business.account(user)
  await world.provider.fails({ about: user, mode: 'delay', delay_ms: 1_200, under: '/[^/]+/deactivate' })
  const slow = call('POST', `/v0/virtual-accounts/${id}/deactivate`)
  const change = () => call('PATCH', `/v0/virtual-accounts/${id}`, { developer_fee_percent: '1' }, under(key))
  await until('the change under way', async () => {
    const open = await db.read(
      (query) => query`select 1 from operations where subject_id = ${id} and state = 'running'`,
    )
    return open.length > 0
  })
  const refused = await change()
  assertError(refused, 409, 'account_change_in_progress')
  assert.equal(refused.body.error.retryable, true)
  assert.equal((await slow).status, 200)
  const repeat = await change()
  assert.equal(repeat.status, 200, repeat.text)
  assert.equal(repeat.headers.has('idempotent-replayed'), false)
})

test('a repeat that comes while the relay completes the first request opens no second account', async () => {
  const key = freshKey()
  const user = await world.business.user('approved')
  const ask = () => call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
  await world.provider.fails({ about: user, mode: 'cut_after' })
  assert.ok((await ask()).status >= 503)
  await world.provider.fails({ about: user, mode: 'delay', delay_ms: 1_200 })
  await until('the relay at it', async () => {
    const rows = await db.read(
      (query) => query`
        select 1 from operations o join virtual_accounts v on v.id = o.subject_id
          join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
        where u.external_user_id = ${user} and o.state = 'running' and o.attempts = 2`,
    )
    return rows.length > 0
  })
  assertError(await ask(), 409, 'account_change_in_progress')
  await until('the answer', async () => (await ask()).status === 200)
  assert.equal((await world.business.accounts(user)).length, 1)
  assert.equal((await world.provider.accountsOf(user)).length, 1)
})

test('what a wrong key, a missing scope or a suspension answers is not kept', async () => {
  const [user, key] = [freshUserId(), freshKey()]
  const weak = (await call('POST', '/v0/api-keys', { scopes: ['events:read'] })).body.data.key
  assertError(await createUser(user, key, { key: weak }), 403, 'insufficient_scope')
  assertError(await createUser(user, key, { key: null }), 401, 'api_key_missing')
  assert.equal((await createUser(user, key)).status, 200)
})

test('what is not valid is not kept either: the corrected body may use the key', async () => {
  const key = freshKey()
  assertError(await call('POST', '/v0/end-users', { externalUserID: 'x' }, under(key)), 400, 'missing_field')
  assert.equal((await createUser(freshUserId(), key)).status, 200)
})

test('the same key on another path, with another method or of another business is another key', async () => {
  const key = freshKey()
  const [one, other] = [await world.business.user(), await world.business.user()]
  const links = [one, other].map((user) => call('POST', `/v0/end-users/${user}/tos-link`, {}, under(key)))
  const [first, second] = await Promise.all(links)
  assert.deepEqual([first?.status, second?.status], [200, 200])
  assert.notEqual(first?.text, second?.text)
  const { apiKey } = await world.otherBusiness()
  const user = freshUserId()
  const mine = await createUser(user, key)
  const theirs = await createUser(user, key, { key: apiKey })
  assert.deepEqual([mine.status, theirs.status], [200, 200])
  assert.notEqual(mine.body.data.id, theirs.body.data.id)
})

test('the query is part of the request: a dry run and the real one do not answer for each other', async () => {
  const [user, key] = [await world.business.user(), freshKey()]
  const path = `/v0/end-users/${user}/submit-kyc`
  const body = { type: 'individual' }
  await call('POST', `${path}?dryRun=true`, body, under(key))
  const other = await call('POST', path, body, under(key))
  assert.ok(!other.headers.has('idempotent-replayed'), other.text)
})

test('a DELETE is repeated too: the answer stays that of the first', async () => {
  const { id } = (await call('POST', '/v0/api-keys', {})).body.data
  const key = freshKey()
  const revoke = () => call('DELETE', `/v0/api-keys/${id}`, undefined, under(key))
  const first = await revoke()
  assert.equal(first.status, 200)
  assert.equal((await revoke()).text, first.text)
})

test('a key of 1 to 255 printable characters is taken, any other is 400 and names the header', async () => {
  const { data } = (await call('POST', '/v0/api-keys', {})).body
  const revoke = (key: string) => call('DELETE', `/v0/api-keys/${data.id}`, undefined, under(key))
  for (const key of ['a'.repeat(256), 'ümlaut', 'tab\there', 'a, b'.repeat(99)])
    assertError(await revoke(key), 400, 'invalid_header', { param: 'Idempotency-Key' })
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map(String.fromCharCode), minLength: 1, maxLength: 255 }),
      async (key) => {
        const answer = await call('PUT', '/v0/webhook-url', { webhookUrl: world.inboxUrl }, under(key))
        assert.equal(answer.status, 200, answer.text)
      },
    ),
    { numRuns: 20 },
  )
})

test('a read takes no notice of the header', async () => {
  const key = freshKey()
  const [one, other] = [
    await call('GET', '/v0/whoami', undefined, under(key)),
    await call('GET', '/v0/whoami', undefined, under(key)),
  ]
  assert.deepEqual([one.headers.has('idempotent-replayed'), other.headers.has('idempotent-replayed')], [false, false])
})

test('an answer is kept for 72 hours; after that the key is free again', async () => {
  const [user, key] = [freshUserId(), freshKey()]
  await createUser(user, key)
  const [row] = await db.read(
    (query) =>
      query`select extract(epoch from expires_at - created_at) / 3600 as hours from idempotency_keys where key = ${key}`,
  )
  assert.equal(Number(row?.['hours']), 72)
  await db.transaction((tx) => tx`update idempotency_keys set expires_at = now() where key = ${key}`)
  assertError(await createUser(user, key), 409, 'end_user_already_exists')
})

test('a key that is free again opens another account', async () => {
  const [user, key] = [await world.business.user('approved'), freshKey()]
  const ask = async () => (await call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))).body.data.id
  const first = await ask()
  await db.transaction((tx) => tx`update idempotency_keys set expires_at = now() where key = ${key}`)
  assert.notEqual(await ask(), first)
  assert.equal((await world.provider.accountsOf(user)).length, 2)
})

test('a key whose request died with its server is free for a repeat once the lease has run out, and not before', async () => {
  const [user, key] = [await world.business.user('approved'), freshKey()]
  await world.provider.fails({ about: user, mode: 'delay', delay_ms: 1_200 })
  const ask = () => call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
  const first = ask()
  await world.keyHeld(key)
  assertError(await ask(), 409, 'idempotency_in_progress')
  const { id } = (await first).body.data
  // The state after a server dies before it settles.
  await db.transaction((tx) => tx`update idempotency_keys set status = null, response = null where key = ${key}`)
  assertError(await ask(), 409, 'idempotency_in_progress')
  await db.transaction((tx) => tx`update idempotency_keys set lease_until = now() where key = ${key}`)
  assert.equal((await ask()).body.data.id, id)
  assert.equal((await world.provider.accountsOf(user)).length, 1)
})

test('no API key and no signing secret lies readable in the database, also where answers are kept', async () => {
  const key = freshKey()
  const issued = await call('POST', '/v0/api-keys', { name: 'sealed' }, under(key))
  const secret = issued.body.data.key as string
  const { apiKey } = await world.otherBusiness()
  const set = await call('PUT', '/v0/webhook-url', { webhookUrl: world.inboxUrl }, under(key, { key: apiKey }))
  const { signingSecret } = set.body.data
  assert.ok(secret && signingSecret)
  const tables = await db.read(
    (query) => query<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`,
  )
  assert.ok(tables.length > 10)
  for (const { name } of tables) {
    const rows = await db.read((query) => query`select * from ${query.names(name)}`)
    const text = rows.map((row) => Object.values(row).map(readable).join(' ')).join('\n')
    for (const hidden of [secret, apiKey, signingSecret, world.signingSecret])
      assert.ok(!text.includes(hidden.slice(9)), `${name} holds a secret`)
  }
  const repeat = await call('POST', '/v0/api-keys', { name: 'sealed' }, under(key))
  assert.equal(repeat.body.data.key, secret)
})

/** As somebody who has the files would read it. */
function readable(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)
}
