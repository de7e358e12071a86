// The bound of what is kept in memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestsUnlogged } from '../../platform/observe/metrics.ts'
import { RequestLogBuffer } from './buffer.ts'
import type { RequestRow } from './store.ts'

const rowOf = (businessId: string): RequestRow => ({
  id: 'req_0',
  businessId,
  requestId: null,
  credentialId: 'key_0',
  sessionId: null,
  method: 'GET',
  path: '/v0/whoami',
  objectId: null,
  externalUserId: null,
  status: 200,
  errorCode: null,
  durationMs: 1,
  isReplay: false,
})
const lost = async (): Promise<number> => (await requestsUnlogged.get()).values[0]?.value ?? 0

test('a loud business fills half of the buffer, the others have the rest, and what does not fit is counted', async () => {
  const buffer = new RequestLogBuffer()
  const before = await lost()
  for (let request = 0; request < 15_000; request++) buffer.add(rowOf('loud'))
  assert.equal((await lost()) - before, 5_000)
  for (let business = 0; business < 10_001; business++) buffer.add(rowOf(`quiet ${business}`))
  assert.equal((await lost()) - before, 5_001)
  const rows = buffer.takeAll()
  assert.equal(rows.filter(({ businessId }) => businessId === 'loud').length, 10_000)
  assert.equal(rows.length, 20_000)
  assert.deepEqual(buffer.takeAll(), [])
  buffer.add(rowOf('loud'))
  assert.equal(buffer.takeAll().length, 1)
})
