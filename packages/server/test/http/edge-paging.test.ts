// Cursors: what a list gave out leads on, anything else is refused, and following `Link` sees each item once.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { ApiError } from '../../src/platform/errors.ts'
import { decodeCursor, encodeCursor, linkNext, pageRequestOf } from '../../src/platform/http/schema/paging.ts'
import { listQuery } from '../../src/platform/http/schema/schema.ts'
import { edgeServer } from './edge-server.ts'

const items = Array.from({ length: 47 }, (_, index) => ({
  id: `it_${index}`,
  createdAt: new Date(1_700_000_000_000 - index),
}))
const routes: NonNullable<Parameters<typeof edgeServer>[0]>['routes'] = (app) => {
  const querystring = listQuery({ status: Type.Optional(Type.String()) })
  app.get('/items', { config: { auth: 'none' }, schema: { querystring } }, (request, reply) => {
    const { limit, after: key } = pageRequestOf(request.query)
    const start = key === null ? 0 : items.findIndex((item) => item.id === key.id) + 1
    const page = items.slice(start, start + limit)
    const last = page.at(-1)
    if (last && start + limit < items.length)
      linkNext(reply, 'cursor', encodeCursor({ at: last.createdAt, id: last.id }))
    return { data: page }
  })
}
const edge = await edgeServer({ routes })
after(() => edge.stop())

test('a cursor is read back as it was written, and holds only letters that a URL takes', () => {
  const createdAt = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2200-01-01') })
  fc.assert(
    fc.property(createdAt, fc.stringMatching(/^[a-z_0-9]{1,40}$/), (time, id) => {
      const cursor = encodeCursor({ at: time, id })
      assert.match(cursor, /^[A-Za-z0-9_-]+$/)
      assert.deepEqual(decodeCursor(cursor), { at: time, id })
    }),
  )
})

test('whatever else is sent as a cursor is invalid_cursor', async () => {
  const forged = [
    [2, 1, 'id'],
    [1, '1', 'id'],
    [1, 1e300, 'id'],
    [1, null, 'id'],
    [1, 1, "x'; drop table"],
    [1, 1],
    {},
    null,
  ]
  const texts = [...forged.map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')), 'x', '%%%', 'AAAA']
  for (const text of texts)
    assert.throws(
      () => decodeCursor(text),
      (error) => error instanceof ApiError && error.code === 'invalid_cursor',
      text,
    )
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      assert.throws(
        () => decodeCursor(text),
        (error) => error instanceof ApiError && error.code === 'invalid_cursor',
      )
    }),
  )
  const answer = await edge.call('GET', '/items?cursor=nonsense')
  assert.equal(answer.status, 400)
  assert.equal(answer.body.error.code, 'invalid_cursor')
  assert.equal(answer.body.error.param, 'cursor')
})

test('following Link from the first page sees every item once, with limit and filters kept', async () => {
  const seen: string[] = []
  let address: string | undefined = `${edge.url}/items?limit=10&status=a%26b`
  while (address !== undefined) {
    const response: Response = await fetch(address)
    const { data } = (await response.json()) as { data: { id: string }[] }
    seen.push(...data.map((item) => item.id))
    address = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
    if (address !== undefined) {
      assert.equal(new URL(address).searchParams.get('limit'), '10')
      assert.equal(new URL(address).searchParams.get('status'), 'a&b')
    }
    assert.ok(seen.length <= items.length)
  }
  assert.deepEqual(
    seen,
    items.map((item) => item.id),
  )
})

test('the next address is under PUBLIC_URL when there is one, else under the one listened on; what the caller writes into Host is not repeated', async () => {
  const published = await edgeServer({ routes, env: { PUBLIC_URL: 'https://api.example.com/pay/' } })
  assert.match(
    (await published.call('GET', '/items')).headers.get('link') ?? '',
    /^<https:\/\/api\.example\.com\/pay\/items\?cursor=/,
  )
  await published.stop()
  const host = (value: string) => edge.raw(`GET /items HTTP/1.1\r\nHost: ${value}\r\nConnection: close\r\n\r\n`)
  for (const value of ['evil.example:8080', '"><script>', '']) {
    const heard = await host(value)
    assert.ok(heard.includes(`link: <${edge.url}/items?cursor=`), heard)
    assert.ok(!heard.includes('evil'))
  }
})
