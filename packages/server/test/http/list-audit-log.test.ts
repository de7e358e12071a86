// GET /v0/audit-log

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listOwnAudit } from '../../src/audit/store.ts'
import type { Tx } from '../../src/platform/postgres/query.ts'
import { assertError } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { assertBounded, explaining, type Plan } from '../query-plan.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/audit-log'
type Entry = { number: number; action: string; actor: string; subjectId: string; createdAt: string }
const read = async (query = '', options = {}): Promise<Entry[]> =>
  (await call('GET', `${path}?limit=100${query}`, undefined, options)).body.data
const numbersOf = (entries: Entry[]) => entries.map(({ number }) => number)
const me: string = (await call('GET', '/v0/whoami')).body.data.apiKeyId

test('200 who did what to what and in which request, newest first, numbered without a gap', async () => {
  const headers = { 'x-request-id': 'told-by-the-log' }
  const key = (await call('POST', '/v0/api-keys', { scopes: ['events:read'] }, { headers })).body.data
  const entries = await read()
  const { createdAt, ...rest } = entries[0] ?? assert.fail('no entry')
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  assert.deepEqual(rest, {
    number: entries.length,
    action: 'api_key.created',
    actor: me,
    person: null,
    consoleSessionId: null,
    subjectId: key.id,
    details: { scopes: ['events:read'], expiresAt: null },
    requestId: 'told-by-the-log',
  })
  assert.deepEqual(
    numbersOf(entries),
    entries.map((_, at) => entries.length - at),
  )
  assert.deepEqual([entries.at(-1)?.action, entries.at(-1)?.actor], ['customer.created', 'operator'])
})

test('200 by action, actor and time; a key with what was done in its sessions', async () => {
  const { headers, session } = await signIn(world.url, { apiKey: world.business.apiKey })
  const link = (await call('POST', '/v0/console-links', { scopes: ['events:read'] }, { key: null, headers })).body.data
  const [newest] = await read(`&actor=${me}`)
  assert.deepEqual(
    [newest?.subjectId, newest && 'consoleSessionId' in newest && newest.consoleSessionId],
    [link.id, session.id],
  )
  const all = await read()
  const fits = (fit: (entry: Entry) => boolean) => numbersOf(all.filter(fit))
  assert.deepEqual(
    numbersOf(await read('&actor=operator')),
    fits(({ actor }) => actor === 'operator'),
  )
  assert.deepEqual(
    numbersOf(await read('&action=api_key.created')),
    fits(({ action }) => action === 'api_key.created'),
  )
  assert.deepEqual(
    numbersOf(await read(`&action=api_key.created&actor=${me}`)),
    fits(({ action, actor }) => action === 'api_key.created' && actor === me),
  )
  const { createdAt = '' } = all[1] ?? {}
  assert.deepEqual(
    numbersOf(await read(`&createdBefore=${createdAt}`)),
    fits((entry) => entry.createdAt < createdAt),
  )
  assert.deepEqual(
    numbersOf(await read(`&createdAfter=${createdAt}`)),
    fits((entry) => entry.createdAt > createdAt),
  )
  assert.deepEqual(await read('&actor=nobody'), [])
})

test('200 pages follow the Link header to the end, with a filter and without', async () => {
  for (const filter of ['', '&actor=operator', `&action=api_key.created&actor=${me}`]) {
    const seen: number[] = []
    for (let next: string | null = `${path}?limit=1${filter}`; next !== null; ) {
      const page: Awaited<ReturnType<typeof call>> = await call('GET', next)
      seen.push(...numbersOf(page.body.data))
      const link = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
      next = link === undefined ? null : link.replace(world.url, '')
    }
    assert.deepEqual(seen, numbersOf(await read(filter)))
  }
})

test("200 another business's acts are not in it", async () => {
  const { apiKey: key, id: customerId } = await world.otherBusiness()
  const entries = await read('', { key })
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['api_key.created', 'customer.created'],
  )
  assert.equal(entries[1]?.subjectId, customerId)
})

test('400 an unknown action, a bad limit, time or cursor is refused by name', async () => {
  for (const query of ['action=api_key.eaten', 'limit=0', 'createdAfter=now', 'actor=', 'who=me'])
    assertError(await call('GET', `${path}?${query}`), 400, 'invalid_query', { param: query.split('=')[0] ?? '' })
  const cursor = Buffer.from(JSON.stringify([1, Date.now(), 'key_1'])).toString('base64url')
  for (const bad of ['x', cursor])
    assertError(await call('GET', `${path}?cursor=${bad}`), 400, 'invalid_cursor', { param: 'cursor' })
})

test('a page of a long log is read by an index, however rare what it asks for', async () => {
  const { id: customerId } = await world.otherBusiness()
  await world.rows`
      insert into audit_log (business_id, number, actor, action, subject_id, created_at)
      select ${customerId}, 1000 + n, case when n % 5000 = 0 then 'operator' else 'key_a/console_session_' || n end,
        case when n = 17 then 'customer.renamed' else 'console_session.opened' end, 'x', now() + make_interval(secs => n)
      from generate_series(1, 30000) n`
  await world.rows`analyze audit_log`
  const cases = [
    [{}, 200],
    [{ action: 'customer.renamed' }, 200],
    [{ actor: 'operator' }, 200],
    [{ actor: 'key_a', createdBefore: new Date() }, 200],
    [{ actor: 'key_a', action: 'customer.renamed' }, 10_020],
  ] as const
  for (const [filter, rowsMax] of cases) {
    const plans: Plan[] = []
    const page = { limit: 20, after: null }
    await world.inside.db.transaction(
      async (tx) => await listOwnAudit(explaining(tx, plans) as Tx, customerId, filter, page),
    )
    for (const plan of plans) assertBounded(plan, { rowsMax, sortedMax: 0 })
  }
})
