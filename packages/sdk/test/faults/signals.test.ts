// One signal for the life of a program, given to every call: nothing of a finished call stays with it.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Causeway } from '../../src/index.ts'

const callsPerRound = 7_000
const bytesPerCallMax = 100

test('ten thousands of calls under one signal leave no listener and no memory behind', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { signal } = new AbortController()
  const fetch = async () => new Response('{"data":{}}')
  const api = new Causeway({ baseUrl: 'http://127.0.0.1:1', apiKey: 'svc_test_x', fetch })
  const sizes: number[] = []
  for (let round = 0; round < 5; round++) {
    for (let call = 0; call < callsPerRound; call++) await api.endUsers.get('ada', { signal })
    await setImmediate() // a weak reference that was read keeps its object until the turn ends
    collect()
    sizes.push(process.memoryUsage().heapUsed)
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  // A leak grows in every round; the engine's own code and caches grow in some.
  const kept = Math.min(...sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0))) / callsPerRound
  assert.ok(kept < bytesPerCallMax, `${kept} bytes of each call are kept`)
})
