// A request, the call to the provider it makes, what is committed and what is delivered: as spans of the real SDK.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { until } from '../../server/test/caller.ts'
import { canaryPrefix } from '../../server/test/canary-search.ts'
import { kycBody } from '../../server/test/people.ts'
import { openWorld } from '../../server/test/world.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
await import('../src/register.ts')
const world = await openWorld({ alone: true })
after(() => world.stop())

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('a request is the parent of the calls it makes, and the child of its caller', async () => {
  const user = await world.business.user()
  const agreement = await world.business.acceptTerms(user)
  exporter.reset()
  const body = kycBody(agreement, user)
  const path = `/v0/end-users/${user}/submit-kyc`
  assert.equal((await world.business.call('POST', path, body, { headers: { traceparent } })).status, 200)
  const spans = await until('the spans', () => {
    const found = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId)
    return found.some(({ name }) => name.startsWith('POST ')) && found
  })
  const request = spans.find(({ name }) => name === 'POST /v0/end-users/:externalUserId/submit-kyc')
  assert.equal(request?.parentSpanContext?.spanId, 'b7ad6b7169203331')
  assert.equal(request?.attributes['causeway.status'], 200)
  const calls = spans.filter(({ name }) => name.startsWith('upstream '))
  assert.ok(calls.some(({ name }) => name === 'upstream createCustomer'))
  for (const call of calls) assert.equal(call.parentSpanContext?.spanId, request?.spanContext().spanId, call.name)
  assert.ok(world.log.some((line) => line.includes(`"traceId":"${traceId}"`)))
})

test('what is delivered and taken in are spans, and no span holds a person, a business or a secret', async () => {
  await until('a delivery', () => exporter.getFinishedSpans().find(({ name }) => name === 'delivery'))
  const all = exporter.getFinishedSpans()
  const text = JSON.stringify(all.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })))
  const { apiKey, id: customerId } = world.business
  const { apiKey: providerApiKey } = world.provider
  for (const hidden of [canaryPrefix, apiKey, customerId, providerApiKey, 'example.com', 'Lovelace', 'user-'])
    assert.ok(!text.includes(hidden), hidden)
})
