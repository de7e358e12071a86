// A retry that is due after a failed delivery of the same end-user: it waits for that delivery, and the send loop does
// not read it in the meantime.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseDuration } from '../src/platform/observe/metrics.ts'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.3,60,60' } })
after(() => world.stop())

async function statementsOfLanes(): Promise<number> {
  const { values } = await databaseDuration.get()
  const counts = values.filter(({ metricName, labels }) => metricName?.endsWith('_count') && labels.kind === 'by_index')
  return counts.reduce((sum, { value }) => sum + value, 0)
}

test('a lane whose due retry is held back by another one rests until that one is due', async () => {
  await using subscriber = await world.subscriber(({ body }) => (_, response) => {
    if (body.includes('first')) response.setHeader('retry-after', '3600')
    response.writeHead(body.includes('test.happened') ? 503 : 200).end()
  })
  const { id } = (await subscriber.call('GET', '/v0/webhook-url')).body.data
  for (const note of ['first', 'second']) await world.post(subscriber.event({ note }))
  const waiting = () =>
    world.rows<{ inSeconds: number; attempts: number; ordered: boolean }>`
        select extract(epoch from next_attempt_at - now())::float8 as in_seconds, attempts, ordered from deliveries
        where endpoint_id = ${id} order by sequence`
  await until('both failures', async () => (await waiting()).filter(({ attempts }) => attempts > 0).length === 2)
  const changed = await subscriber.call('PATCH', `/v0/webhook-endpoints/${id}`, { ordering: 'per_end_user' })
  assert.equal(changed.status, 200, changed.text)
  // The second may have had one more attempt before the change: its next one is due in a minute, as of now.
  await world.rows`
      update deliveries set next_attempt_at = now() - interval '1 second'
      where endpoint_id = ${id} and next_attempt_at < now() + interval '30 minutes' returning id`
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${id}`, { description: 'read again' })
  const [first, second] = await waiting()
  assert.ok(first && second && first.inSeconds > 1_800 && second.inSeconds < 0 && second.ordered)
  const startedMs = performance.now()
  const before = await statementsOfLanes()
  await until('three seconds', () => performance.now() - startedMs > 3_000)
  const perSecond = ((await statementsOfLanes()) - before) / 3
  assert.ok(perSecond < 5, `${perSecond} statements a second`)
  assert.equal(subscriber.receiver.seen.filter(({ body }) => body.includes('second')).length <= 2, true)
})
