// Pull: every event once, in one order, whichever server stores and whichever is read; waiting costs the database nothing.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Subscriber } from './business.ts'
import { type Answer, request, until } from './caller.ts'
import { freshEventId } from './provider.ts'
import { freeReaders } from './waiting-readers.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

type Shown = { position: number; providerEventId: string | null }

const get = ({ apiKey }: { apiKey: string }, url: string): Promise<Answer> =>
  request('GET', url, undefined, { headers: { authorization: `Bearer ${apiKey}` } })

/** @returns the query of the next URL in the response */
const nextSearch = ({ headers }: Answer): string =>
  new URL(/^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '').search

/** A typical reader: stores the next URL of the response, and continues there. */
async function readStream(reader: Subscriber, baseUrl: string, isEnough: (seen: Shown[]) => boolean): Promise<Shown[]> {
  const seen: Shown[] = []
  for (let next = `${baseUrl}/v0/events?wait=5&limit=7`; !isEnough(seen); ) {
    const answer = await get(reader, next)
    assert.equal(answer.status, 200, answer.text)
    seen.push(...answer.body.data)
    next = `${baseUrl}/v0/events${nextSearch(answer)}`
  }
  return seen
}

test('two servers store at once, and each is read: both readers see every event once, in the same order', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const urls = [world.url, replica.url]
  const sent = Array.from({ length: 200 }, () => freshEventId())
  const isEnough = (seen: Shown[]) =>
    seen.filter(({ providerEventId }) => providerEventId !== null).length >= sent.length
  const readers = urls.map((url) => readStream(subscriber, url, isEnough))
  const ways = Array.from({ length: 8 }, async (_, way) => {
    for (let at = way; at < sent.length; at += 8)
      await world.post(subscriber.event({ event_id: sent[at] }), { at: urls[at % 2] ?? '' })
  })
  await Promise.all(ways)
  const [one = [], other = []] = await Promise.all(readers)
  const first = one.filter(({ providerEventId }) => providerEventId === null).length
  assert.deepEqual(
    one.map(({ position }) => position),
    Array.from({ length: sent.length + first }, (_, at) => at + 1),
  )
  assert.deepEqual(other, one)
  assert.deepEqual(new Set(one.flatMap(({ providerEventId }) => providerEventId ?? [])), new Set(sent))
})

type Place = { load(): Promise<string | null>; save(after: string): Promise<void> }
type Snippet = {
  readEvents(
    baseUrl: string,
    key: string,
    place: Place,
    handle: (event: Shown) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
}

test('the reader of /docs/webhooks/poll goes on where it was after a crash in the middle of its work', async () => {
  await using subscriber = await world.subscriber()
  const page = readFileSync(new URL('../../../docs/src/content/docs/webhooks/poll.mdx', import.meta.url), 'utf8')
  const [, code = ''] = /^```js\n(export async function readEvents.*?)^```/ms.exec(page) ?? []
  const { readEvents } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Snippet
  const sent = Array.from({ length: 12 }, () => freshEventId())
  for (const event_id of sent) await world.post(subscriber.event({ event_id }))
  let saved: string | null = null
  const place: Place = {
    load: async () => saved,
    save: async (after) => {
      saved = after
    },
  }
  const handled: number[] = []
  const stop = new AbortController()
  const run = (handle: (event: Shown) => Promise<void>) =>
    readEvents(world.url, subscriber.apiKey, place, handle, stop.signal)
  await assert.rejects(
    run(async ({ position }) => {
      handled.push(position)
      if (handled.length === 5) throw new Error('a crash')
    }),
    /a crash/,
  )
  const second = run(async ({ position }) => void handled.push(position))
  await until('all', () => handled.includes(sent.length + 1))
  await world.post(subscriber.event())
  await until('the next', () => handled.includes(sent.length + 2))
  stop.abort()
  await assert.rejects(second, { name: 'AbortError' })
  assert.deepEqual(
    handled.slice(5),
    Array.from({ length: sent.length + 2 }, (_, at) => at + 1),
  )
})

test('an event stored at one server rouses whoever waits at another', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  // A reader takes its position before it reads `now`: an event stored in between would come before it.
  const now = nextSearch(await get(subscriber, `${replica.url}/v0/events?after=now`))
  const waiting = get(subscriber, `${replica.url}/v0/events${now}&wait=30`)
  await until('the reader', () => freeReaders(replica, subscriber.id) === 199)
  await world.post(subscriber.event())
  assert.equal((await waiting).body.data.length, 1)
})

test('a hundred readers that wait ask the database nothing; one event answers them all', async () => {
  await using subscriber = await world.subscriber()
  const { db } = world.inside
  const { read } = db
  let reads = 0
  const readers = Array.from({ length: 100 }, () => get(subscriber, `${world.url}/v0/events?after=now&wait=30`))
  await until('all of them', () => freeReaders(world, subscriber.id) === 100)
  await delay(200) // their first looks end
  db.read = (work) => {
    reads += 1
    return read(work)
  }
  await delay(1_000)
  const idle = reads
  db.read = read
  await world.post(subscriber.event())
  const answers = await Promise.all(readers)
  assert.ok(answers.every(({ body }) => body.data.length === 1))
  assert.ok(idle <= 5, `${idle} reads in a second`)
})

test('a server that stops answers its waiting readers at once, and tells them where to go on', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  // A reader takes its position before it reads `now`: an event stored in between would come before it.
  const now = nextSearch(await get(subscriber, `${replica.url}/v0/events?after=now`))
  const waiting = get(subscriber, `${replica.url}/v0/events${now}&wait=30`)
  await until('the reader', () => freeReaders(replica, subscriber.id) === 199)
  const beganMs = performance.now()
  await Promise.all([replica.stop(), waiting])
  const answer = await waiting
  assert.ok(performance.now() - beganMs < 8_000)
  assert.deepEqual([answer.status, answer.body.data], [200, []])
  assert.equal(answer.headers.get('connection'), 'close')
  const { search } = new URL(/^<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '')
  await world.post(subscriber.event())
  assert.equal((await get(subscriber, `${world.url}/v0/events${search}`)).body.data.length, 1)
})
