// Requests on the wire, lists page by page, and errors across two copies of the package.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, Causeway, CausewayError, type EndUser, NotFoundError } from '../../src/index.ts'
import { refusal, scriptedServer, success } from '../scripted-server.ts'

const apiKey = 'svc_test_x'

test('a path before /v0 is kept, and an id cannot leave its place in the path', async () => {
  await using server = await scriptedServer(success({}))
  const api = new Causeway({ baseUrl: `${server.url}/causeway/`, apiKey })
  await api.endUsers.get('a/b?c#d é')
  assert.equal(server.seen[0]?.path, '/causeway/v0/end-users/a%2Fb%3Fc%23d%20%C3%A9')
  for (const id of ['', '.', '..']) await assert.rejects(api.endUsers.delete(id), TypeError)
  await assert.rejects(api.endUsers.delete(undefined as never), TypeError)
  assert.equal(server.seen.length, 1)
})

test('what is undefined is not sent, neither in a query nor in a body', async () => {
  await using server = await scriptedServer(success([]))
  const api = new Causeway({ baseUrl: server.url, apiKey })
  await api.deposits.list({ status: 'completed', externalUserId: undefined, limit: 5 })
  await api.endUsers.create({ externalUserId: 'ada', email: undefined })
  await api.endUsers.createTosLink('ada')
  assert.equal(server.seen[0]?.path, '/v0/deposits?status=completed&limit=5')
  assert.equal(server.seen[1]?.body, '{"externalUserId":"ada"}')
  assert.equal(server.seen[2]?.body, '')
  assert.equal(server.seen[2]?.headers['content-type'], undefined)
})

test('a filter takes a date as a time, and refuses any other object by the name of the parameter', async () => {
  await using server = await scriptedServer(success([]))
  const api = new Causeway({ baseUrl: server.url, apiKey })
  const day = new Date('2030-01-01T00:00:00.000Z')
  await api.deposits.list({ createdAfter: day as never })
  await api.endUsers.list({ metadata: { plan: 'gold' } })
  for await (const _ of api.deposits.csv({ createdAfter: day as never })) break
  assert.deepEqual(
    server.seen.map(({ path }) => decodeURIComponent(path)),
    [
      '/v0/deposits?createdAfter=2030-01-01T00:00:00.000Z',
      '/v0/end-users?metadata[plan]=gold',
      '/v0/deposits?createdAfter=2030-01-01T00:00:00.000Z',
    ],
  )
  const wrong = [new Date(Number.NaN), new Map(), { $gte: { day } }, [new Set()], () => day, Symbol('day')]
  for (const createdAfter of wrong) {
    const listing = api.deposits.list({ createdAfter: createdAfter as never })
    await assert.rejects(listing, (error) => error instanceof TypeError && error.message.includes('createdAfter'))
  }
  assert.equal(server.seen.length, 3)
})

test('an address with /v0 at its end is that of the deployment', async () => {
  await using server = await scriptedServer(success({}))
  for (const path of ['/v0', '/v0/', '/causeway/v0'])
    await new Causeway({ baseUrl: server.url + path, apiKey }).endUsers.get('ada')
  assert.deepEqual(
    server.seen.map(({ path }) => path),
    ['/v0/end-users/ada', '/v0/end-users/ada', '/causeway/v0/end-users/ada'],
  )
})

test('a request names the version of the SDK and the runtime, but not in a browser', async (t) => {
  await using server = await scriptedServer(success({}))
  const api = new Causeway({ baseUrl: server.url, apiKey })
  await api.endUsers.get('ada')
  assert.match(String(server.seen[0]?.headers['user-agent']), /^causeway-sdk\/\d+\.\d+\.\d+ Node\.js\/24/)
  t.mock.getter(navigator, 'userAgent', () => 'Mozilla/5.0')
  await api.endUsers.get('ada')
  assert.doesNotMatch(String(server.seen[1]?.headers['user-agent']), /causeway/)
})

test('a success gives its status, request ID and headers on request', async () => {
  const headers = { 'x-request-id': 'req_7', 'idempotent-replayed': 'true' }
  await using server = await scriptedServer(success({ id: 'eu_1' }, headers), success([{ id: 'eu_2' }], headers))
  const api = new Causeway({ baseUrl: server.url, apiKey })
  const creating = api.endUsers.create({ externalUserId: 'ada' })
  const created = await creating.withResponse()
  assert.deepEqual([created.data.id, created.status, created.requestId], ['eu_1', 200, 'req_7'])
  assert.equal(created.headers.get('idempotent-replayed'), 'true')
  assert.equal((await creating).id, 'eu_1')
  assert.equal(server.seen.length, 1, 'a call is sent once')
  const listed = await api.endUsers.list().withResponse()
  assert.deepEqual([listed.data.data.length, listed.requestId], [1, 'req_7'])
  await assert.rejects(api.endUsers.get('').withResponse(), TypeError)
})

test('without a key nothing authenticates but the fetch that was given', async () => {
  await using server = await scriptedServer(success({}))
  const withCookie = (url: string, init: RequestInit) => {
    return fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), cookie: 'session=1' } })
  }
  await new Causeway({ baseUrl: server.url, apiKey: null, fetch: withCookie }).endUsers.get('ada')
  assert.equal(server.seen[0]?.headers.authorization, undefined)
  assert.equal(server.seen[0]?.headers.cookie, 'session=1')
})

test('a client that no request can be made with is refused when it is made', () => {
  for (const baseUrl of ['', 'causeway', 'ftp://example.com', 'https://example.com/?x=1'])
    assert.throws(() => new Causeway({ baseUrl, apiKey }), TypeError)
  for (const wrong of [undefined, '', 'svc test', 'svc_test_x\n'])
    assert.throws(() => new Causeway({ baseUrl: 'https://example.com', apiKey: wrong as never }), TypeError)
})

const next = (cursor: string) => ({
  link: `<http://inside.example:8080/v0/end-users?kycStatus=approved&cursor=${cursor}>; rel="next"`,
})
const pages = () =>
  scriptedServer(success([{ id: 1 }, { id: 2 }], next('c1')), success([], next('c2')), success([{ id: 3 }]))

test('a list that is awaited reads one page, and the next when asked', async () => {
  await using server = await pages()
  const list = new Causeway({ baseUrl: server.url, apiKey }).endUsers.list({ kycStatus: 'approved' })
  assert.equal(server.seen.length, 0, 'nothing is sent before the list is used')
  const first = await list
  assert.deepEqual([first.data.length, first.nextCursor], [2, 'c1'])
  const second = await first.next()
  const third = await second?.next()
  assert.deepEqual(third?.data, [{ id: 3 }])
  assert.equal(third?.nextCursor, null)
  assert.equal(await third?.next(), null)
  assert.deepEqual(
    server.seen.map(({ path }) => path),
    ['', '&cursor=c1', '&cursor=c2'].map((cursor) => `/v0/end-users?kycStatus=approved${cursor}`),
  )
})

test('a list that is iterated gives every item of every page, also behind an empty one', async () => {
  await using server = await pages()
  const ids: unknown[] = []
  for await (const { id } of new Causeway({ baseUrl: server.url, apiKey }).endUsers.list({ kycStatus: 'approved' }))
    ids.push(id)
  assert.deepEqual(ids, [1, 2, 3])
})

test('a list that is iterated again begins again with its first page', async () => {
  await using server = await scriptedServer(success([{ id: 1 }]), success([{ id: 2 }]))
  const list = new Causeway({ baseUrl: server.url, apiKey }).endUsers.list()
  const ids: unknown[] = []
  for (let round = 0; round < 2; round++) for await (const { id } of list) ids.push(id)
  assert.deepEqual(ids, [1, 2])
})

test('toArray reads pages as large as the bound and the API allow, or as the caller says', async () => {
  await using server = await scriptedServer(success([]))
  const api = new Causeway({ baseUrl: server.url, apiKey })
  await api.endUsers.list().toArray({ max: 250 })
  await api.endUsers.list().toArray({ max: 30 })
  await api.endUsers.list({ limit: 5 }).toArray({ max: 30 })
  assert.deepEqual(
    server.seen.map(({ path }) => path.split('?')[1]),
    ['limit=100', 'limit=30', 'limit=5'],
  )
})

test('toArray demands a bound, and reads no page behind it', async () => {
  await using server = await pages()
  const api = new Causeway({ baseUrl: server.url, apiKey })
  assert.equal((await api.endUsers.list().toArray({ max: 2 })).length, 2)
  assert.equal(server.seen.length, 1)
  await assert.rejects(api.endUsers.list().toArray({} as never), RangeError)
})

test('a list that fails rejects, awaited or iterated', async () => {
  await using server = await scriptedServer(refusal(400, 'validation_error', 'invalid_cursor', false))
  const list = () => new Causeway({ baseUrl: server.url, apiKey }).endUsers.list()
  assert.equal(await list().catch((error: unknown) => (error as ApiError).code), 'invalid_cursor')
  await assert.rejects(async () => {
    for await (const _ of list()) assert.fail('there is no item')
  }, ApiError)
})

test('instanceof holds over two copies of the package, and for classes of the program', async () => {
  const copy = (await import(`../../src/core/errors.ts?copy=${1}`)) as typeof import('../../src/core/errors.ts')
  const facts = { status: 404, requestId: null, retryAfterMs: null, nextCursor: null }
  const theirs = new copy.NotFoundError(facts, null)
  assert.notEqual(copy.NotFoundError, NotFoundError)
  for (const Class of [NotFoundError, ApiError, CausewayError, Error]) assert.ok(theirs instanceof Class)
  assert.ok(!(theirs instanceof copy.ConflictError))
  assert.ok(!(new Error('other') instanceof CausewayError))

  class MissingUser extends NotFoundError {}
  assert.ok(new MissingUser(facts, null) instanceof NotFoundError)
  assert.ok(!(theirs instanceof MissingUser))
})

test('types: codes are a closed union for each category, and every shape has a name', () => {
  const statusOf = (user: EndUser): EndUser['kycStatus'] => user.kycStatus
  const isMissing = (error: NotFoundError) => error.code === 'holder_not_found'
  // @ts-expect-error: no such code in this category
  const isWrong = (error: NotFoundError) => error.code === 'rate_limited'
  const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : null)
  // @ts-expect-error: an error of unknown category has a closed union of codes too
  const isMisspelt = (error: unknown) => error instanceof ApiError && error.code === 'typo_not_a_code'
  // @ts-expect-error: a code is a text
  const asNumber = (error: unknown): number | null => codeOf(error)
  assert.equal([statusOf, isMissing, isWrong, isMisspelt, asNumber].length, 5)
})
