// GET /v0/operator/storage

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

test('200 the tables with their sizes, and the weeks of history with theirs', async () => {
  const { bytes, retention, tables, partitions } = (await world.operator.call('GET', '/v0/operator/storage')).body.data
  assert.ok(bytes > 1_000_000)
  assert.deepEqual(retention, { eventDays: 30, requestLogDays: 7 })
  const names = tables.map(({ name }: { name: string }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const name of ['events', 'requests', 'deposits', 'businesses']) assert.ok(names.includes(name), name)
  const sizes = tables.map((table: { bytes: number }) => table.bytes)
  assert.deepEqual(
    sizes,
    sizes.toSorted((one: number, other: number) => other - one),
  )
  const weeks = partitions.filter(
    ({ table, from }: { table: string; from: string | null }) => table === 'events' && from,
  )
  assert.ok(
    weeks.some(
      (week: { from: string; to: string }) => Date.parse(week.from) <= Date.now() && Date.now() < Date.parse(week.to),
    ),
  )
})
