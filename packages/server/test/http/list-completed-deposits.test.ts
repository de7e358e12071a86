// GET /v0/reports/deposits

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { day, differences, storeDay } from '../completed-deposits.ts'
import { assertAddsUp } from '../deposit-sums.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/reports/deposits'

const account = (await world.business.account(await world.business.user('approved')))['id'] ?? ''
const ids = await storeDay(world, account)

test('200 the deposits that were completed on the day, in that order, each with what does not add up', async () => {
  const { data } = (await call('GET', `${path}?day=${day}`)).body
  assert.deepEqual(
    data.map(({ id, difference }: { id: string; difference: unknown }) => [id, difference]),
    ids.map((id, nth) => [id, differences[nth]]),
  )
  for (const { difference, ...deposit } of data) {
    assert.deepEqual((await call('GET', `/v0/deposits/${deposit.id}`)).body, { data: deposit })
    if (difference === null) assertAddsUp(deposit)
  }
  assert.deepEqual([data[4].status, data[4].completedAt], ['refunded', `${day}T12:00:01.000Z`])
})

test('200 in pages, and as CSV with the columns of the list and two more', async () => {
  const seen: string[] = []
  let next: string | undefined = `?day=${day}&limit=4`
  while (next !== undefined) {
    const page = await call('GET', path + next)
    seen.push(...page.body.data.map(({ id }: { id: string }) => id))
    next = /\/deposits(\?[^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  assert.deepEqual(seen, ids)
  const csv = await world.business.call('GET', `${path}?day=${day}`, undefined, { headers: { accept: 'text/csv' } })
  const lines = csv.text.trimEnd().split('\r\n')
  const list = await world.business.call('GET', '/v0/deposits?limit=1', undefined, { headers: { accept: 'text/csv' } })
  assert.equal(lines[0], `${list.text.split('\r\n')[0]},difference,differenceAmount`)
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',').slice(-2)),
    differences.map((difference) => [difference?.code ?? '', difference?.amount.value ?? '']),
  )
})

test('200 what the emulator completes is in the list of its day; another business sees none of it', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { id, completedAt } = await world.business.deposit(account, { amount: '120.00' }, 'completed')
  const query = `?day=${String(completedAt).slice(0, 10)}&limit=100`
  const listed = (await call('GET', path + query)).body.data
  assert.equal(listed.find((row: { id: string }) => row.id === id)?.difference, null)
  for (const asked of [query, `?day=${day}`])
    assert.deepEqual((await call('GET', path + asked, undefined, { key })).body, { data: [] })
})

test('400 no day, a day that there is not, a cursor that no list gave out', async () => {
  for (const wrong of [
    '',
    '?day=',
    '?day=2026-02-30',
    '?day=10.02.2026',
    '?day=0000-01-01',
    '?day=9999-12-31',
    '?Day=2026-02-10',
  ])
    assertError(await call('GET', path + wrong), 400, 'invalid_query')
  assertError(await call('GET', `${path}?day=${day}&cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})
