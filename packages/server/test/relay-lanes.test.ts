// Who holds an endpoint's lane, and what a former holder can still do: nothing.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { claimLanes, type Grace, renewOwner } from '../src/webhooks/delivery/lanes.store.ts'
import { writeOutcomes } from '../src/webhooks/delivery/outcomes.store.ts'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_TIMEOUT_MS: '1000' } })
after(() => world.stop())
const none: Grace = { sinceStartMs: 0, fromNowMs: 0 }

test('a lane whose holder was not heard of any more is taken over, and its former holder settles nothing', async () => {
  await using subscriber = await world.subscriber()
  const endpointId: string = (await subscriber.call('GET', '/v0/webhook-url')).body.data.id
  subscriber.receiver.reply = () => 500
  await world.post(subscriber.event())
  await until('a failed attempt', async () => {
    const rows = await world.rows`select 1 from deliveries where endpoint_id = ${endpointId} and attempts = 1`
    return rows.length === 1
  })
  // Kept from the running server, so that the two holders are ours alone.
  await world.server.stop()
  const db = openDatabase(world.database, { poolMax: 2 })
  const claim = async (owner: string, leaseMs: number, grace: Partial<Grace> = {}) => {
    await db.statement((query) => renewOwner(query, owner, leaseMs))
    const claimed = await db.statement((query) =>
      claimLanes(query, owner, { held: [], limit: 10, grace: { ...none, ...grace } }),
    )
    return claimed.find((lane) => lane.endpointId === endpointId)
  }
  try {
    await db.statement((query) => query`update endpoint_lanes set wants_at = now() where endpoint_id = ${endpointId}`)
    const first = await claim('one', -1)
    for (const grace of [{ sinceStartMs: 86_400_000 }, { fromNowMs: 60_000 }])
      assert.equal(await claim('two', 60_000, grace), undefined, 'its holder may have had no database to tell')
    const second = await claim('two', 60_000)
    assert.ok(first && second)
    assert.equal(second.fence, first.fence + 1)
    assert.equal(await claim('three', 60_000), undefined, 'a running lease is nobody else’s')
    const settleAs = (owner: string, fence: number, outcome: string) => {
      const settlement = {
        endpointId,
        fence,
        sequence: 1,
        attempts: 1,
        attemptsBefore: 0,
        status: 'delivered',
        retryInMs: null,
      } as const
      const exchange = {
        outcome,
        httpStatus: 200,
        responseBody: '',
        responseHeaders: null,
        responseSealed: null,
        sentAs: null,
        detail: null,
        durationMs: 1,
        startedAt: new Date(),
      }
      return db.statement((query) => writeOutcomes(query, owner, [{ ...settlement, ...exchange }]))
    }
    assert.equal((await settleAs('one', first.fence, 'http_500')).size, 0)
    assert.equal((await settleAs('two', first.fence, 'http_500')).size, 0)
    assert.equal((await settleAs('two', second.fence, 'http_200')).size, 1)
    assert.equal((await settleAs('two', second.fence, 'http_201')).size, 0)
    const rows = await db.read(
      (query) => query`
        select last_outcome, attempts from finished_deliveries where endpoint_id = ${endpointId}`,
    )
    assert.deepEqual([...rows], [{ lastOutcome: 'http_200', attempts: 2 }])
  } finally {
    await db.close()
  }
})
