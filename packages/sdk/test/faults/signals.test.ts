// One signal for the life of a program, given to every call: nothing of a finished call stays with it.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Causeway } from '../../src/index.ts'

const calls = 20_000
const bytesPerCallMax = 100

test('ten thousands of calls under one signal leave no listener and no memory behind', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { signal } = new AbortController()
  const fetch = async () => new Response('{"data":{}}')
  const api = new Causeway({ baseUrl: 'http://127.0.0.1:1', apiKey: 'svc_test_x', fetch })
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++) await api.endUsers.get('ada', { signal })
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = await rounds(1_000)
  const after = await rounds(calls)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  assert.ok((after - before) / calls < bytesPerCallMax, `${(after - before) / calls} bytes of each call are kept`)
})
