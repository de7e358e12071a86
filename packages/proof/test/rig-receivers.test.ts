// The receivers of the rig: what each conduct does with a delivery, and what they note of it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openReceivers, type Receivers } from '../src/rig/receivers.ts'
import type { Conduct } from '../src/rig/world.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = JSON.stringify({ event_id: 'evt_1', place: 3, about: 'eu_1 mark0000000000000000' })

async function opened(t: TestContext, conduct: Conduct): Promise<Receivers> {
  const receivers = await openReceivers(1)
  t.after(() => receivers[Symbol.asyncDispose]())
  await receivers.expect({ name: 'one', secret, conduct })
  return receivers
}

async function deliver(
  { port }: Receivers,
  given: { id?: string; atMs?: number; by?: string; to?: string; limitMs?: number } = {},
): Promise<Response> {
  const { id = 'msg_1', atMs = Date.now(), by = secret, to = 'one', limitMs = 5_000 } = given
  const seconds = Math.floor(atMs / 1_000)
  return await fetch(`http://127.0.0.1:${port}/${to}`, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(by).sign(id, new Date(seconds * 1_000), body),
      'svc-sequence': '4',
      'svc-external-user-id': 'ada',
    },
  })
}

/** The lines of another process come a moment later than its responses. */
async function attemptsOf({ attempts }: Receivers, count: number) {
  while (attempts.length < count) await new Promise((resolve) => setImmediate(resolve))
  return attempts
}

test('a healthy receiver accepts, and notes what it verified', async (t) => {
  const receivers = await opened(t, 'healthy')
  assert.equal((await deliver(receivers)).status, 200)
  const [attempt] = await attemptsOf(receivers, 1)
  assert.partialDeepStrictEqual(attempt, {
    ...{ endpoint: 'one', eventId: 'evt_1', webhookId: 'msg_1', sequence: 4, endUser: 'ada', place: 3 },
    ...{ accepted: true, isVerified: true, isSigned: true, names: ['eu_1', 'mark0000000000000000'] },
  })
})

test('a wrong signature, an old signing time and an unknown path are seen on arrival', async (t) => {
  const receivers = await opened(t, 'healthy')
  await deliver(receivers, { by: `whsec_${Buffer.alloc(32, 8).toString('base64')}` })
  await deliver(receivers, { atMs: Date.now() - 600_000 })
  assert.equal((await deliver(receivers, { to: 'other' })).status, 503)
  const seen = await attemptsOf(receivers, 3)
  assert.deepEqual(
    seen.map(({ isSigned, isVerified, accepted }) => [isSigned, isVerified, accepted]),
    [
      [false, false, true],
      [true, false, true],
      [false, false, false],
    ],
  )
})

test('a forgetful receiver refuses the first attempt of one delivery in four', async (t) => {
  const receivers = await opened(t, 'forgetful')
  const statuses: number[] = []
  for (const id of ['a', 'b', 'c', 'd', 'e', 'a', 'e']) statuses.push((await deliver(receivers, { id })).status)
  assert.deepEqual(statuses, [503, 200, 200, 200, 503, 200, 200])
})

test('a flaky receiver fails each delivery at most three times', async (t) => {
  const receivers = await opened(t, 'flaky')
  let failures = 0
  for (let tries = 0; tries < 60; tries++) {
    const isAccepted = await deliver(receivers, { limitMs: 1_000 }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (!isAccepted) failures += 1
  }
  assert.ok(failures > 0 && failures <= 3, `${failures} failures`)
})

for (const conduct of ['never-read', 'silent', 'byte-a-second', 'reset', 'interim-flood'] as const)
  test(`a receiver that is ${conduct} never responds`, async (t) => {
    const receivers = await opened(t, conduct)
    await assert.rejects(deliver(receivers, { limitMs: 500 }))
    assert.deepEqual(receivers.attempts, [])
  })

test('endless bodies, gzip bombs and redirect loops are responses that must not be followed to their end', async (t) => {
  const receivers = await opened(t, 'endless-body')
  const endless = await deliver(receivers, { limitMs: 500 })
  await assert.rejects(endless.arrayBuffer())
  await receivers.expect({ name: 'bomb', secret, conduct: 'gzip-bomb' })
  const bomb = await deliver(receivers, { to: 'bomb' })
  assert.ok((await bomb.arrayBuffer()).byteLength > (1_000 * Number(bomb.headers.get('content-length'))) / 2)
  await receivers.expect({ name: 'loop', secret, conduct: 'redirect-loop' })
  const loop = await deliver(receivers, { to: 'loop' })
  assert.deepEqual([loop.status, loop.headers.get('location')], [302, '/loop'])
})
