// The metrics of several processes as one text, by snapshots of this process.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CombinedMetrics, takeSnapshot } from './combined-metrics.ts'
import { attemptDuration, deliveriesEnded, upstreamLastCall } from './metrics.ts'

const figure = (text: string, start: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(start))
      ?.split(' ')
      .at(-1),
  )

test('counts are added, also of a process that has ended; of what is true now the highest counts, of the living alone', async () => {
  const combined = new CombinedMetrics()
  deliveriesEnded.inc({ status: 'delivered' }, 5)
  attemptDuration.observe({ outcome: 'delivered' }, 0.003)
  upstreamLastCall.set({ outcome: 'ok' }, 100)
  combined.note(1, structuredClone(await takeSnapshot()))
  deliveriesEnded.inc({ status: 'delivered' }, 2)
  upstreamLastCall.set({ outcome: 'ok' }, 300)
  combined.note(2, structuredClone(await takeSnapshot()))
  const ended = 'causeway_deliveries_ended_total{status="delivered"}'
  const buckets = 'causeway_delivery_attempt_duration_seconds_bucket{le="0.005",outcome="delivered"}'
  const both = await combined.write(new Set([1, 2]), [])
  assert.equal(figure(both, ended), 5 + 7)
  assert.equal(figure(both, buckets), 2)
  assert.equal(figure(both, 'causeway_upstream_last_call_timestamp_seconds{outcome="ok"}'), 300)
  await combined.end(2)
  await combined.end(2)
  const left = await combined.write(new Set([1]), [])
  assert.equal(figure(left, ended), 5 + 7)
  assert.equal(figure(left, buckets), 2)
  assert.equal(figure(left, 'causeway_upstream_last_call_timestamp_seconds{outcome="ok"}'), 100)
  const silent = await combined.write(new Set(), [])
  assert.equal(figure(silent, ended), 5 + 7)
  assert.doesNotMatch(silent, /^causeway_upstream_last_call_timestamp_seconds\{/m)
})
