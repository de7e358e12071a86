// listEndUsers: GET /v0/end-users.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { assertError, assertSameAnswer, dataOf } from '../caller.ts'
import { endUserMembers } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

const { apiKey: key } = await world.otherBusiness()
const list = (query = '', asKey = key) => world.business.call('GET', `/v0/end-users${query}`, undefined, { key: asKey })

/** Newest first, as a list has them. */
const made: { externalUserId: string; createdAt: string }[] = []
for (const [index, type] of ['individual', 'business', 'individual', 'business', 'individual'].entries()) {
  const externalUserId = `listed/${index}`
  made.unshift(dataOf(await world.business.call('POST', '/v0/end-users', { externalUserId, type }, { key })))
}
const names = made.map(({ externalUserId }) => externalUserId)
const namesOf = (data: { externalUserId: string }[]) => data.map(({ externalUserId }) => externalUserId)

/** The address of the next page, as `Link` gives it; null on the last page. */
function nextOf(headers: Headers): string | null {
  const link = headers.get('link')
  if (link === null) return null
  const found = /^<(http:\/\/127\.0\.0\.1:\d+)(\/v0\/end-users\?[^>]+)>; rel="next"$/.exec(link)
  assert.equal(found?.[1], world.url, link)
  return found?.[2]?.slice('/v0/end-users'.length) ?? null
}

test('200 all end-users of the business, newest first, each told completely', async () => {
  const answer = await list()
  const data = dataOf(answer)
  assert.deepEqual(namesOf(data), names)
  for (const user of data) assert.deepEqual(Object.keys(user), endUserMembers)
  assert.equal(answer.headers.get('link'), null)
})

test('200 pages of any size give each end-user exactly once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), async (limit) => {
      const seen: string[] = []
      for (let query: string | null = `?limit=${limit}`; query !== null; ) {
        const page = await list(query)
        const found = namesOf(dataOf(page))
        assert.ok(found.length <= limit)
        seen.push(...found)
        query = nextOf(page.headers)
        assert.ok(query === null || found.length === limit, 'only the last page is short')
      }
      assert.deepEqual(seen, names)
    }),
    { numRuns: 6 },
  )
})

test('200 the next page keeps the filters, and one who comes meanwhile shifts nothing', async () => {
  const first = await list('?limit=2&type=individual')
  assert.deepEqual(namesOf(dataOf(first)), ['listed/4', 'listed/2'])
  const next = nextOf(first.headers) ?? ''
  const late = await world.otherBusiness()
  await world.business.call('POST', '/v0/end-users', { externalUserId: 'late' }, { key: late.apiKey })
  assert.deepEqual(namesOf(dataOf(await list(next))), ['listed/0'])
})

describe('filters', () => {
  test('200 by externalUserId, which may need percent-encoding', async () => {
    assert.deepEqual(namesOf(dataOf(await list('?externalUserId=listed%2F3'))), ['listed/3'])
    assert.deepEqual(dataOf(await list('?externalUserId=listed')), [])
  })

  test('200 by type', async () => {
    assert.deepEqual(namesOf(dataOf(await list('?type=business'))), ['listed/3', 'listed/1'])
  })

  test('200 by KYC status', async () => {
    const approved = await world.business.user('approved')
    const found = dataOf(await list('?kycStatus=approved', world.business.apiKey))
    assert.deepEqual(namesOf(found), [approved])
    assert.deepEqual(dataOf(await list('?kycStatus=approved')), [])
    assert.deepEqual(namesOf(dataOf(await list('?kycStatus=not_started'))), names)
  })

  test('200 by one label of the metadata, exactly, in pages, also after it has changed', async () => {
    const path = (name: string) => `/v0/end-users/${encodeURIComponent(name)}`
    const label = async (name: string, metadata: object) =>
      world.business.call('PATCH', path(name), { metadata }, { key })
    for (const name of ['listed/0', 'listed/2', 'listed/3']) await label(name, { plan: 'gold', 'a[b]&=': `${name} é` })
    const found = async (query: string) => namesOf(dataOf(await list(`?${query}`)))
    assert.deepEqual(await found('metadata[plan]=gold'), ['listed/3', 'listed/2', 'listed/0'])
    assert.deepEqual(await found('metadata%5Bplan%5D=gold&type=individual'), ['listed/2', 'listed/0'])
    assert.deepEqual(await found('metadata[plan]=Gold'), [])
    assert.deepEqual(await found(`metadata[${encodeURIComponent('a[b]&=')}]=${encodeURIComponent('listed/2 é')}`), [
      'listed/2',
    ])
    const first = await list('?metadata[plan]=gold&limit=2')
    assert.deepEqual(namesOf(dataOf(first)), ['listed/3', 'listed/2'])
    assert.deepEqual(namesOf(dataOf(await list(nextOf(first.headers) ?? ''))), ['listed/0'])
    await label('listed/2', { plan: 'silver' })
    assert.deepEqual(await found('metadata[plan]=gold'), ['listed/3', 'listed/0'])
    assert.deepEqual(await found('metadata[plan]=silver'), ['listed/2'])
    await world.business.call(
      'POST',
      '/v0/end-users',
      { externalUserId: 'brief', metadata: { plan: 'silver' } },
      { key },
    )
    assert.deepEqual(await found('metadata[plan]=silver'), ['brief', 'listed/2'])
    await world.business.call('DELETE', path('brief'), undefined, { key })
    assert.deepEqual(await found('metadata[plan]=silver'), ['listed/2'])
    const { apiKey: stranger } = await world.otherBusiness()
    assert.deepEqual(dataOf(await list('?metadata[plan]=gold', stranger)), [])
  })

  test('200 by how a name or an address begins, in any case, in the order of the alphabet and in pages', async () => {
    const { apiKey } = await world.otherBusiness()
    const people = [
      ['Zoe', 'first@example.com'],
      ['adam', 'zoe.adam@example.com'],
      ['zo%', null],
      ['zoe2', 'ZOE2@example.com'],
      ['other', 'other@example.com'],
    ]
    for (const [externalUserId, email] of people) {
      const body = { externalUserId, ...(email !== null && { email }) }
      assert.equal((await world.business.call('POST', '/v0/end-users', body, { key: apiKey })).status, 200)
    }
    const found = async (query: string) => namesOf(dataOf(await list(query, apiKey)))
    assert.deepEqual(await found('?q=ZO'), ['zo%', 'Zoe', 'adam', 'zoe2'])
    assert.deepEqual(await found('?q=zo%25'), ['zo%'])
    assert.deepEqual(await found('?q=zoe.adam%40example.com'), ['adam'])
    assert.deepEqual(await found('?q=oe'), [])
    const [{ id }] = dataOf(await list('?q=Zoe', apiKey))
    assert.deepEqual(await found(`?q=${id}`), ['Zoe'])
    assert.deepEqual(dataOf(await list(`?q=${id}`)), [], 'the end-user of another business')
    assert.deepEqual(await found('?q=zo&type=business'), [])
    const seen: string[] = []
    for (let query: string | null = '?q=zo&limit=1'; query !== null; ) {
      const page = await list(query, apiKey)
      seen.push(...namesOf(dataOf(page)))
      query = nextOf(page.headers)
    }
    assert.deepEqual(seen, ['zo%', 'Zoe', 'adam', 'zoe2'])
    assert.deepEqual(dataOf(await list('?q=zo')), [])
    const next = nextOf((await list('?q=zo&limit=1', apiKey)).headers) ?? ''
    assertError(await list(next), 400, 'invalid_cursor', { param: 'cursor' })
  })

  test('200 by a name in any case of any script, on a database of any locale', async () => {
    const { apiKey } = await world.otherBusiness()
    const names = ['ÉMILE', 'Straße', 'ΣΊΣΥΦΟΣ', 'Жанна', 'İpek']
    for (const externalUserId of names)
      assert.equal(
        (await world.business.call('POST', '/v0/end-users', { externalUserId }, { key: apiKey })).status,
        200,
      )
    const found = async (q: string) => namesOf(dataOf(await list(`?q=${encodeURIComponent(q)}`, apiKey)))
    for (const [q, name] of [
      ['émi', 'ÉMILE'],
      ['e\u0301MI', 'ÉMILE'],
      ['STRASS', 'Straße'],
      ['straß', 'Straße'],
      ['σίσυφος', 'ΣΊΣΥΦΟΣ'],
      ['жанНА', 'Жанна'],
      ['i̇PEK', 'İpek'],
    ] as const)
      assert.deepEqual(await found(q), [name], q)
  })

  test('200 a search continues after the last end-user of a page was erased', async () => {
    const { apiKey: key } = await world.otherBusiness()
    for (const externalUserId of ['paged-1', 'paged-2', 'paged-3', 'paged-4'])
      assert.equal((await world.business.call('POST', '/v0/end-users', { externalUserId }, { key })).status, 200)
    const first = await list('?q=PAGED&limit=2', key)
    assert.deepEqual(namesOf(dataOf(first)), ['paged-1', 'paged-2'])
    const next = nextOf(first.headers) ?? ''
    assert.doesNotMatch(Buffer.from(new URLSearchParams(next).get('cursor') ?? '', 'base64url').toString(), /paged/)
    assert.equal((await world.business.call('DELETE', '/v0/end-users/paged-2', undefined, { key })).status, 200)
    assert.deepEqual(namesOf(dataOf(await list(next, key))), ['paged-3', 'paged-4'])
  })

  test('200 by time, both ends excluded, in any offset', async () => {
    const [newest, oldest] = [made.at(0)?.createdAt ?? '', made.at(-1)?.createdAt ?? '']
    const between = dataOf(await list(`?createdAfter=${oldest}&createdBefore=${newest}`))
    const inside = made.filter(({ createdAt }) => createdAt > oldest && createdAt < newest)
    assert.deepEqual(namesOf(between), namesOf(inside))
    assert.deepEqual(namesOf(dataOf(await list('?createdAfter=2000-01-01T00:00:00%2B05:30'))), names)
    assert.deepEqual(namesOf(dataOf(await list('?createdAfter=0001-01-01T00:00:00Z'))), names)
    assert.deepEqual(dataOf(await list('?createdAfter=9999-12-31T23:59:59.999Z')), [])
  })
})

describe('what is wrong with a query is told by its parameter', () => {
  const bad: [query: string, param: string][] = [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=canary', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['kycStatus=canary', 'kycStatus'],
    ['type=canary', 'type'],
    ['externalUserId=', 'externalUserId'],
    ['externalUserId=%00', 'externalUserId'],
    ['createdAfter=canary', 'createdAfter'],
    ['createdAfter=2026-01-31', 'createdAfter'],
    ['createdAfter=2026-02-30T00:00:00Z', 'createdAfter'],
    ['createdBefore=2026-06-30T23:59:60Z', 'createdBefore'],
    ['createdBefore=0000-12-31T00:00:00Z', 'createdBefore'],
    ['createdAfter=9999-12-31T23:59:59.999-00:01', 'createdAfter'],
    ['q=', 'q'],
    ['q=%00', 'q'],
    ['metadata=canary', 'metadata'],
    ['metadata[a]=1&metadata[b]=2', 'metadata'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a'],
    [`metadata[a]=${'x'.repeat(501)}`, 'metadata.a'],
    ['metadata[a]=%00', 'metadata.a'],
    ['cursor=', 'cursor'],
    [`cursor=${'x'.repeat(3_073)}`, 'cursor'],
    ['page=canary', 'page'],
  ]
  for (const [query, param] of bad) {
    test(`400 ${query.slice(0, 60)}`, async () => {
      assertError(await list(`?${query}`), 400, 'invalid_query', { param, silentOn: ['canary'] })
    })
  }

  test('400 an unknown parameter, with the one that was probably meant', async () => {
    const { message } = assertError(await list('?externaluserid=x'), 400, 'invalid_query', { param: 'externaluserid' })
    assert.match(message, /is not a known query parameter\. Did you mean `externalUserId`\?/)
  })

  test('400 a cursor that no list gave out, also one that is made by the form of ours', async () => {
    const forged = [
      'canary',
      '[]',
      '[1,"canary","eu_x"]',
      '[1,8640000000000000,"eu_x"]',
      '[1,-8640000000000000,"eu_x"]',
      '[1,1e400,"eu_x"]',
      '[1,0,"a b"]',
      '[2,0,"eu_x"]',
      '[1,0,null]',
    ].map((text) => Buffer.from(text).toString('base64url'))
    for (const cursor of ['canary', '%00', ...forged]) {
      const answer = await list(`?cursor=${cursor}`)
      assertError(answer, 400, 'invalid_cursor', { param: 'cursor', silentOn: ['canary'] })
    }
  })
})

test('200 no other business sees them: not in the list, not by filter, not by a cursor of theirs', async () => {
  const { apiKey: stranger } = await world.otherBusiness()
  const cursor = new URLSearchParams(nextOf((await list('?limit=1')).headers) ?? '').get('cursor') ?? ''
  const empty = await list('', stranger)
  assert.deepEqual(dataOf(empty), [])
  assertSameAnswer(await list(`?cursor=${cursor}`, stranger), empty)
  assertSameAnswer(await list('?externalUserId=listed%2F3', stranger), empty)
})
