// The stream survives temporary failures, saves its cursor only after handled events, and ends on its signal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Causeway, ConflictError } from '../../src/index.ts'
import { cut, refusal, type ScriptedServer, scriptedServer, silence, success } from '../scripted-server.ts'

const client = (server: ScriptedServer) => new Causeway({ baseUrl: server.url, apiKey: 'svc_test_x' })
const place = (after: string) => ({ link: `<http://x/v0/events?wait=30&after=${after}>; rel="next"` })

test('events come in order over cut connections and refusals, and each place is saved behind its events', async () => {
  const busy = refusal(429, 'rate_limit_error', 'too_many_readers', true)
  await using server = await scriptedServer(
    success([{ id: 'evt_1' }, { id: 'evt_2' }], place('p2')),
    cut,
    busy,
    success([], place('p2')),
    success([{ id: 'evt_3' }], place('p3')),
    silence,
  )
  const done = new AbortController()
  const story: string[] = []
  const save = (after: string) => void story.push(`saved ${after}`)
  const onResponse = () => void story.push('answer')
  const onRetry = (failure: Error) => void story.push(failure.name)
  for await (const { id } of client(server).events.stream({
    after: 'p0',
    limit: 2,
    save,
    onResponse,
    onRetry,
    signal: done.signal,
  })) {
    story.push(id)
    if (id === 'evt_3') setImmediate(() => done.abort())
  }
  const first = ['answer', 'evt_1', 'evt_2', 'saved p2', 'ConnectionError', 'RateLimitError']
  assert.deepEqual(story, [...first, 'answer', 'answer', 'evt_3', 'saved p3'])
  assert.deepEqual(
    server.seen.slice(0, 5).map(({ path }) => path),
    ['30&after=p0', '30&after=p2', '0&after=p2', '0&after=p2', '30&after=p2'].map(
      (query) => `/v0/events?wait=${query}&limit=2`,
    ),
  )
})

test('a loop that is left in the middle of an answer has not saved its place', async () => {
  await using server = await scriptedServer(success([{ id: 'evt_1' }, { id: 'evt_2' }], place('p2')))
  const saved: string[] = []
  for await (const { id } of client(server).events.stream({ save: (after) => void saved.push(after) })) {
    if (id === 'evt_2') break
  }
  assert.deepEqual(saved, [])
})

test('a place whose events are gone is an error that says where to go on', async () => {
  const expired = refusal(409, 'conflict_error', 'cursor_expired', false, place('p9'))
  await using server = await scriptedServer(expired)
  const error = await client(server)
    .events.stream({ after: 'p0' })
    .next()
    .catch((failure: unknown) => failure)
  assert.ok(error instanceof ConflictError)
  assert.equal(error.nextCursor, 'p9')
})

test('the place of now is asked for without a wait, so that nothing is missed before it is known', async () => {
  await using server = await scriptedServer(success([], place('p4')), success([{ id: 'evt_5' }], place('p5')), silence)
  for await (const { id } of client(server).events.stream({ after: 'now' })) if (id === 'evt_5') break
  assert.deepEqual(
    server.seen.slice(0, 2).map(({ path }) => path),
    ['/v0/events?wait=0&after=now', '/v0/events?wait=30&after=p4'],
  )
})

test('a stream that does not wait asks no more than once a second while nothing happens', async () => {
  await using server = await scriptedServer(success([], place('p1')))
  const signal = AbortSignal.timeout(1_500)
  for await (const _ of client(server).events.stream({ after: 'p1', waitSeconds: 0, signal })) assert.fail('no event')
  assert.equal(server.seen.length, 2)
})

test('a Retry-After of weeks is waited for a minute, not passed over', async () => {
  await using server = await scriptedServer(
    refusal(429, 'rate_limit_error', 'rate_limited', true, { 'retry-after': String(30 * 86_400) }),
  )
  const done = new AbortController()
  const delaysMs: number[] = []
  const onRetry = (_failure: Error, delayMs: number) => {
    delaysMs.push(delayMs)
    setTimeout(() => done.abort(), 200)
  }
  for await (const _ of client(server).events.stream({ onRetry, signal: done.signal })) assert.fail('no event')
  assert.equal(server.seen.length, 1)
  assert.ok(delaysMs.length === 1 && (delaysMs[0] ?? 0) >= 60_000 && (delaysMs[0] ?? 0) < 61_000, String(delaysMs))
})
