// GET /v0/requests

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { flushRequests } from '../../src/businesses/requests/service.ts'
import { listRequests, rowsReadMax } from '../../src/businesses/requests/store.ts'
import { requestsUnlogged } from '../../src/platform/observe/metrics.ts'
import { only } from '../../src/platform/postgres/database.ts'
import { idRange } from '../../src/platform/postgres/partitions/partitions.ts'
import type { Query } from '../../src/platform/postgres/query.ts'
import { type Answer, assertError, request, until } from '../caller.ts'
import { freshUserId } from '../people.ts'
import { startServe } from '../serve-process.ts'
import { openWorld } from '../world.ts'
import { edgeServer } from './edge-server.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/requests'
const deps = world.inside

type Listed = {
  objectId: string | null
  externalUserId: string | null
  requestId: string
  path: string
  status: number
  method: string
  createdAt: string
}

/** A new business whose requests are these, in this order: those of one millisecond have none. */
async function businessThatAsked(...asked: readonly (readonly [method: string, path: string, body?: unknown])[]) {
  const { apiKey: key, id: customerId } = await world.otherBusiness()
  const answers: Answer[] = []
  for (const [method, address, body] of asked) {
    answers.push(await world.business.call(method, address, body, { key }))
    await delay(2)
  }
  const list = async (query = ''): Promise<Listed[]> => {
    await flushRequests(deps)
    return (await call('GET', `${path}?limit=100${query}`, undefined, { key })).body.data.filter(
      (row: Listed) => row.path !== path,
    )
  }
  return { key, customerId, answers, list, idOf: (at: number) => answers[at]?.headers.get('x-request-id') ?? '' }
}

test('200 each request of the business is listed within seconds, newest first, with how it ended', async () => {
  const { key, answers } = await businessThatAsked(['GET', '/v0/whoami'], ['GET', '/v0/end-users/nobody'])
  const rows = await until('the requests', async () => {
    // The looks are requests too: those of a second fill a page of 20.
    const { data } = (await call('GET', `${path}?limit=100`, undefined, { key })).body
    const others = data.filter((row: Listed) => row.path !== path)
    return others.length === 2 && others
  })
  const { apiKeyId: credentialId } = answers[0]?.body.data ?? {}
  const shown = rows.map(({ createdAt, durationMs, ...row }: Listed & { durationMs: number }) => {
    assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
    assert.ok(durationMs > 0 && durationMs < 60_000)
    return row
  })
  const named = { objectId: null, externalUserId: null }
  const common = { ...named, method: 'GET', credentialId, sessionId: null, idempotentReplay: false, explanation: null }
  const explanation = {
    message: 'There is no end-user with this `externalUserId`.',
    resolution: 'Create the end-user first with `POST /v0/end-users`.',
  }
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  assert.deepEqual(shown, [
    {
      ...common,
      requestId: ids[1],
      path: '/v0/end-users/:externalUserId',
      status: 404,
      error: 'holder_not_found',
      explanation,
    },
    { ...common, requestId: ids[0], path: '/v0/whoami', status: 200, error: null },
  ])
})

test('200 a request shows the object and the end-user that its path names, and what it created', async () => {
  const name = freshUserId()
  const { key, list, answers } = await businessThatAsked(
    ['POST', '/v0/end-users', { externalUserId: name }],
    ['GET', `/v0/end-users/${name}`],
    ['GET', '/v0/virtual-accounts/va_00000000000000000000000000'],
    ['GET', '/v0/virtual-accounts/ada@example.com'],
  )
  const named = async () =>
    (await list()).map(({ objectId, externalUserId }) => [objectId, externalUserId] as const).toReversed()
  const { id } = answers[0]?.body.data ?? {}
  const account = ['va_00000000000000000000000000', null]
  assert.deepEqual(await named(), [[id, name], [null, name], account, [null, null]])
  await call('DELETE', `/v0/end-users/${name}`, undefined, { key })
  await until('the erasure', async () => {
    const [created, read, other] = await named()
    assert.deepEqual(other, account)
    return created?.[1] === null && read?.[1] === null
  })
})

test('200 filters by error, by reads and writes, and by console and key', async () => {
  const { list, idOf } = await businessThatAsked(
    ['GET', '/v0/end-users/nobody'],
    ['POST', '/v0/end-users', {}],
    ['GET', '/v0/whoami'],
    ['GET', '/v0/capabilities'],
  )
  const found = async (query: string) => (await list(`&${query}`)).map(({ requestId }) => requestId)
  const [notFound, refused, whoami, inConsole] = [0, 1, 2, 3].map(idOf)
  await list()
  await world.rows`update requests set session_id = 'console_session_00000000000000000000000000' where id = ${inConsole ?? ''} returning 1`
  assert.deepEqual(await found('error=*'), [refused, notFound])
  assert.deepEqual(await found('error=holder_not_found'), [notFound])
  assert.deepEqual(await found('kind=write'), [refused])
  assert.deepEqual(await found('kind=read&client=api'), [whoami, notFound])
  assert.deepEqual(await found('client=console'), [inConsole])
})

test('200 nothing of what a request named, asked or carried is in the log', async () => {
  const canary = 'canary-4711'
  const { customerId, list } = await businessThatAsked(
    ['POST', '/v0/end-users', { externalUserId: canary, email: `${canary}@example.com` }],
    ['GET', `/v0/end-users/${canary}`],
    ['GET', `/v0/deposits?externalUserId=${canary}`],
  )
  assert.equal((await list()).length, 3)
  const rows = await world.rows`select r::text from requests r where business_id = ${customerId}`
  assert.doesNotMatch(JSON.stringify(rows), /canary|example\.com|127\.0\.0\.1/)
})

test('200 a repeat under the same Idempotency-Key is marked', async () => {
  const { key, list } = await businessThatAsked()
  const body = { externalUserId: freshUserId() }
  for (let turn = 0; turn < 2; turn++) {
    await call('POST', '/v0/end-users', body, { key, headers: { 'idempotency-key': 'once' } })
    await delay(2)
  }
  const marks = (await list()).map((row) => (row as unknown as { idempotentReplay: boolean }).idempotentReplay)
  assert.deepEqual(marks, [true, false])
})

test('200 filters by status, class of statuses, method, path, key, request and time', async () => {
  const { list, idOf, answers } = await businessThatAsked(
    ['GET', '/v0/whoami'],
    ['GET', '/v0/end-users/nobody'],
    ['POST', '/v0/end-users', {}],
    ['GET', '/v0/deposits'],
  )
  const found = async (query: string) => (await list(`&${query}`)).map(({ requestId }) => requestId)
  const [whoami, notFound, refused, deposits] = [0, 1, 2, 3].map(idOf)
  assert.deepEqual(await found('status=404'), [notFound])
  assert.deepEqual(await found('status=4xx'), [refused, notFound])
  assert.deepEqual(await found('status=2xx'), [deposits, whoami])
  assert.deepEqual(await found('status=5xx'), [])
  assert.deepEqual(await found('method=POST'), [refused])
  assert.deepEqual(await found('path=/v0/end-users/:externalUserId'), [notFound])
  assert.deepEqual(await found('path=/v0/end-users&status=4xx'), [refused])
  assert.deepEqual(await found(`credentialId=${answers[0]?.body.data.apiKeyId}`), [deposits, refused, notFound, whoami])
  assert.deepEqual(await found(`by=${answers[0]?.body.data.apiKeyId}`), [deposits, refused, notFound, whoami])
  assert.deepEqual(await found('by=key_00000000000000000000000000'), [])
  assert.deepEqual(await found('credentialId=key_00000000000000000000000000'), [])
  assert.deepEqual(await found(`requestId=${refused}`), [refused])
  const times = (await list()).map(({ createdAt }) => createdAt).reverse()
  assert.deepEqual(
    await found(`createdAfter=${times[0]}`),
    [deposits, refused, notFound].filter((_, at) => (times[3 - at] ?? '') > (times[0] ?? '')),
  )
  assert.deepEqual(
    await found(`createdBefore=${times[3]}`),
    [refused, notFound, whoami].filter((_, at) => (times[2 - at] ?? '') < (times[3] ?? '')),
  )
})

test('200 a request is found by an id that the caller chose, as often as it was used', async () => {
  const { key, list } = await businessThatAsked()
  const headers = { 'x-request-id': 'req_0123456789abcdefghjkmnpqrs' }
  for (let turn = 0; turn < 2; turn++) await call('GET', '/v0/whoami', undefined, { key, headers })
  const rows = await list(`&requestId=${headers['x-request-id']}`)
  assert.deepEqual(
    rows.map((row) => [row.path, row.requestId]),
    Array.from({ length: 2 }, () => ['/v0/whoami', headers['x-request-id']]),
  )
})

test('200 pages lead through all requests once', async () => {
  const { key, list } = await businessThatAsked(...Array.from({ length: 7 }, () => ['GET', '/v0/whoami'] as const))
  const all = (await list()).map(({ requestId }) => requestId)
  const seen: string[] = []
  let next: string | null = `${path}?limit=3&path=/v0/whoami`
  while (next !== null) {
    const page: Answer = await call('GET', next, undefined, { key })
    seen.push(...page.body.data.map(({ requestId }: Listed) => requestId))
    const link = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    next = link === undefined ? null : link.replace(world.url, '')
  }
  assert.deepEqual(seen, all)
})

test('200 another business sees none of them, not even by an id', async () => {
  const { idOf } = await businessThatAsked(['GET', '/v0/whoami'])
  await flushRequests(deps)
  const { apiKey: key } = await world.otherBusiness()
  assert.deepEqual((await call('GET', `${path}?requestId=${idOf(0)}`, undefined, { key })).body, { data: [] })
})

test('400 a bad status, method, limit, time or cursor is refused by name', async () => {
  for (const query of ['status=600', 'status=4x', 'method=FETCH', 'limit=0', 'createdAfter=now', 'path=']) {
    const [param = ''] = query.split('=')
    assertError(await call('GET', `${path}?${query}`), 400, 'invalid_query', { param })
  }
  assertError(await call('GET', `${path}?cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})

/** The rows that this connection has read of the log. */
async function rowsRead(query: Query): Promise<{ bySequence: number; byIndex: number }> {
  return only(
    await query<{ bySequence: number; byIndex: number }[]>`
      select sum(seq_tup_read)::int as by_sequence, sum(idx_tup_fetch)::int as by_index
      from pg_stat_xact_user_tables where relname like 'requests%'`,
  )
}

test('a page of a long log reads a bounded part of it, by an index', async () => {
  const { customerId } = await businessThatAsked()
  const rowsTotal = 2.5 * rowsReadMax
  const { from } = idRange('request', { fromMs: Date.now(), toMs: Date.now() })
  const time = from.slice(4)
  await world.rows`
      insert into requests (id, business_id, credential_id, method, path, status, duration_ms, is_replay)
      select 'req_' || ${time}::text || lpad(n::text, 16, '0'), ${customerId}, 'key_a', 'GET',
        case when n = ${rowsTotal - rowsReadMax}::int then '/v0/rare' else '/v0/whoami' end, case when n % 1000 = 0 then 500 else 200 end, 1, false
      from generate_series(1, ${rowsTotal}) n`
  await world.rows`analyze requests`
  const readBy = async (filter: Parameters<typeof listRequests>[2], id?: string) =>
    await deps.db.transaction(async (tx) => {
      const before = await rowsRead(tx)
      const after = id === undefined ? null : { at: new Date(), id }
      const page = await listRequests(tx, customerId, filter, { limit: 20, after })
      const now = await rowsRead(tx)
      return { page, bySequence: now.bySequence - before.bySequence, byIndex: now.byIndex - before.byIndex }
    })
  const first = await readBy({})
  assert.deepEqual([first.page.items.length, first.bySequence], [20, 0])
  assert.ok(first.byIndex < 100)
  const failed = await readBy({ statuses: [500, 599] })
  assert.deepEqual([failed.page.items.length, failed.bySequence], [20, 0])
  assert.ok(failed.byIndex < 200)
  const named = await readBy({ requestId: `req_${time}${'77'.padStart(16, '0')}` })
  assert.deepEqual([named.page.items.length, named.bySequence, named.page.next], [1, 0, null])
  assert.ok(named.byIndex < 10)
  // The only request with this path is in the second part: an empty page says where to continue.
  const empty = await readBy({ path: '/v0/rare' })
  const second = await readBy({ path: '/v0/rare' }, empty.page.next?.id)
  assert.deepEqual([empty.page.items.length, second.page.items.length], [0, 1])
  for (const { page, bySequence, byIndex } of [empty, second]) {
    assert.ok(bySequence === 0 && byIndex < 2.1 * rowsReadMax, `${bySequence} and ${byIndex} rows`)
    assert.ok(page.next)
  }
})

test('requests go on while the database refuses the log, and what is not written is counted', async () => {
  const server = await edgeServer()
  const { deps: away } = server
  const lost = async (): Promise<number> => (await requestsUnlogged.get()).values[0]?.value ?? 0
  const before = await lost()
  const row = {
    businessId: 'biz_0',
    requestId: null,
    credentialId: 'key_0',
    sessionId: null,
    method: 'GET',
    path: '/',
    objectId: null,
    externalUserId: null,
    status: 200,
  }
  for (let number = 0; number < 700; number++)
    away.requestLog.add({ ...row, id: `req_${number}`, errorCode: null, durationMs: 1, isReplay: false })
  await assert.rejects(flushRequests(away), { code: 'database_unavailable' })
  assert.equal((await lost()) - before, 700)
  await flushRequests(away) // nothing is kept
  await server.stop()
})

const authorized = { headers: { authorization: `Bearer ${world.business.apiKey}` } }
const rowsOf = async (requestId: string | null) =>
  await world.rows`select id from requests where id = ${requestId} and business_id = ${world.business.id}`

test('a process that is told to stop writes down what it has answered', async () => {
  const replica = await startServe(world, {})
  const answer = await request('GET', `${replica.url}/v0/whoami`, undefined, authorized)
  assert.equal(await replica.terminate(), 0)
  assert.equal((await rowsOf(answer.headers.get('x-request-id'))).length, 1)
})
