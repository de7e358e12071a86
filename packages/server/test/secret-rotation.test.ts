// The deployment secret is exchanged while servers run and are asked without a pause: no request fails, no receiver sees
// another signature, no key dies; afterwards the old one can be dropped, and before that nobody can.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rotateSecrets } from '../src/app/secret-rotation/rotation.ts'
import { checkAudit } from '../src/audit/verify.ts'
import { request, until } from './caller.ts'
import { freshUserId } from './people.ts'
import { freshEventId } from './provider.ts'
import { issuerUrl } from './sign-in/issuer-metadata.ts'
import { openWorld, type Replica } from './world.ts'

const world = await openWorld({ alone: true })
const [oldSecret = ''] = world.inside.config.deploymentSecrets
const newSecret = 'the next deployment secret of a length that will do'
const start = (...deploymentSecrets: string[]) => world.replica({ config: { deploymentSecrets } })

const customer = await world.otherBusiness()
const keyOf = async (): Promise<string> =>
  (await world.business.call('POST', '/v0/api-keys', {}, { key: customer.apiKey })).body.data.key
const unusedKey = await keyOf()
const signIn = {
  clientId: 'causeway',
  roles: { claim: 'groups', values: { ops: 'admin' } },
  clientSecret: 'of the client',
}
await customer.call('PUT', '/v0/sign-in', { issuer: issuerUrl, ...signIn })
const user = await world.business.user('approved')
const subscriber = await world.subscriber()
after(async () => {
  await subscriber[Symbol.asyncDispose]()
  await world.stop()
})

/** Sends requests to all running servers in turn, until stopped. */
function load(servers: Replica[]) {
  let isOver = false
  const failures: string[] = []
  const counts = { requests: 0, events: 0, replays: 0 }
  const kept: { key: string; body: unknown; url: string; text: string }[] = []
  const ask = async (method: string, path: string, key: string, body?: unknown, headers = {}) => {
    const server = servers[counts.requests % servers.length]
    counts.requests += 1
    const url = `${server?.url}${path}`
    const answer = await request(method, url, body, { headers: { authorization: `Bearer ${key}`, ...headers } })
    if (answer.status !== 200) failures.push(`${method} ${path}: ${answer.text}`)
    return answer
  }
  const lane = async (work: (turn: number) => Promise<void>) => {
    for (let turn = 0; !isOver; turn++) await work(turn).catch((error: unknown) => failures.push(String(error)))
  }
  const lanes = [
    lane(async () => void (await ask('GET', '/v0/whoami', customer.apiKey))),
    lane(async () => void (await ask('GET', `/v0/events?externalUserId=${user}`, world.business.apiKey))),
    lane(async (turn) => {
      const idempotency = { 'idempotency-key': `rotation-${turn}` }
      const body = { externalUserId: freshUserId() }
      const first = await ask('POST', '/v0/end-users', customer.apiKey, body, idempotency)
      kept.push({ key: `rotation-${turn}`, body, url: '/v0/end-users', text: first.text })
      const earlier = kept[Math.floor(kept.length / 2)]
      assert.ok(earlier)
      const repeat = await ask('POST', '/v0/end-users', customer.apiKey, earlier.body, {
        'idempotency-key': earlier.key,
      })
      if (repeat.text !== earlier.text) failures.push(`a repeat was answered otherwise: ${repeat.text}`)
      counts.replays += 1
    }),
    lane(async () => {
      const server = servers[counts.events % servers.length]
      const answer = await world.post(subscriber.event({ event_id: freshEventId() }), { at: server?.url ?? '' })
      if (answer.status === 200) counts.events += 1
      else failures.push(`an event: ${answer.text}`)
    }),
  ]
  return {
    counts,
    failures,
    /** Waits until each lane has gone on by some rounds. */
    async goesOn() {
      const { requests, events } = counts
      await until('further requests', () => counts.requests > requests + 40 && counts.events > events + 10)
      assert.deepEqual(failures, [])
    },
    async stop() {
      isOver = true
      await Promise.all(lanes)
    },
  }
}

test('a rotation under load: nothing fails, nothing changes, and the old secret can be dropped at its end', async (t) => {
  const [first, second] = [await start(oldSecret, newSecret), await start(oldSecret, newSecret)]
  const oldMark = first.inside.secrets.keyIds[0] ?? ''
  const newMark = first.inside.secrets.keyIds[1] ?? ''
  await world.server.stop()
  const servers: Replica[] = [first, second]
  const running = load(servers)
  // A running load would keep the process alive if something above fails.
  t.after(async () => {
    await running.stop()
    for (const server of servers) await server.stop()
  })
  const rotate = async (isNow = false) => {
    const report = await rotateSecrets(operatorsShell().inside, isNow)
    await running.goesOn()
    return report
  }
  // The command line has a server's parts; here it borrows those of the newest one.
  const operatorsShell = (): Replica => servers.at(-1) as Replica
  await running.goesOn()

  // One server after the other comes back with the new secret first; in between, both orders run side by side.
  const replace = async (at: number, next: Promise<Replica>) => {
    const left = servers[at]
    servers[at] = await next
    await running.goesOn()
    await left?.stop()
  }
  await replace(1, start(newSecret, oldSecret))
  const early = await rotate()
  assert.deepEqual([early.done, early.left.servers, early.dropped], [false, 1, []])
  assert.ok(early.resealed.webhookEndpoints >= 2 && early.resealed.events >= 1 && early.resealed.auditKeys === 1)
  assert.equal(early.resealed.signIns, 1)
  await assert.rejects(start(newSecret), new RegExp(`lacks a secret .*${oldMark}`))

  await replace(0, start(newSecret, oldSecret))
  const late = await rotate()
  assert.deepEqual([late.done, late.left.servers, late.dropped], [false, 0, []])
  assert.ok(late.left.answers > 0 && (late.left.answersUntil?.getTime() ?? 0) > Date.now())
  const waiting = late.left.apiKeys.map(({ customerId }) => customerId)
  assert.ok(waiting.includes(customer.id), 'a key that nobody has used since waits')
  await assert.rejects(start(newSecret), /lacks a secret/)

  await running.stop()
  const last = await rotateSecrets(operatorsShell().inside, true)
  assert.deepEqual([last.done, last.left.answers, last.left.apiKeys], [true, 0, []])
  assert.deepEqual(last.dropped, [oldMark])
  const again = await rotateSecrets(operatorsShell().inside, false)
  assert.deepEqual(again, {
    mark: newMark,
    resealed: { webhookEndpoints: 0, signIns: 0, alertChannels: 0, events: 0, responses: 0, sessions: 0, auditKeys: 0 },
    left: { servers: 0, apiKeys: [], answers: 0, answersUntil: null },
    dropped: [],
    done: true,
  })

  for (const server of servers) await server.stop()
  await assert.rejects(start(oldSecret), new RegExp(`lacks a secret .*${newMark}`))
  await using alone = await start(newSecret)
  const ask = (path: string, key: string) =>
    request('GET', `${alone.url}${path}`, undefined, { headers: { authorization: `Bearer ${key}` } })
  assert.equal((await ask('/v0/whoami', customer.apiKey)).status, 200)
  assert.equal((await ask('/v0/whoami', world.business.apiKey)).status, 200)
  assert.equal((await ask('/v0/whoami', unusedKey)).status, 401)
  const told = await ask(`/v0/events?externalUserId=${user}&limit=100`, world.business.apiKey)
  const types: string[] = told.body.data.map(({ eventType }: { eventType: string }) => eventType)
  assert.ok(
    types.some((type) => /^customer\./.test(type)),
    `an event that was sealed under the old secret can be read: ${types.join(', ')}`,
  )
  await world.post(subscriber.event(), { at: alone.url })
  await until(
    'every event',
    () => new Set(subscriber.receiver.seen.map(({ body }) => body)).size > running.counts.events,
  )
  for (const received of subscriber.receiver.seen) subscriber.verify(received)

  const { ok, findings } = await checkAudit(alone.inside, null)
  assert.deepEqual([ok, findings], [true, []])
  console.log(JSON.stringify({ ...running.counts, failed: running.failures.length }))
})
