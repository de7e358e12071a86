// The world of the rig, set up from outside: what proofs do to it happens, and is over after `heal`.

import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Database } from '../src/rig/databases/database.ts'
import { debianPostgres } from '../src/rig/databases/debian-plan.ts'
import { embeddedPostgres } from '../src/rig/databases/embedded.ts'
import { openWorld } from '../src/rig/deployment/open-world.ts'
import { MissingProgram } from '../src/rig/programs.ts'
import type { Endpoint, World } from '../src/rig/world.ts'

type Arrived = { path: string; headers: IncomingHttpHeaders; body: string }

/** A receiver of the test's own. */
async function openReceiver(stack: AsyncDisposableStack) {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    arrived.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(200).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, arrived }
}

async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
) {
  const deadline = performance.now() + 60_000
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`there was no ${what} in time`)
    await delay(50)
  }
}

/** Posts an event until it is acknowledged, and waits until it arrives with a valid signature. */
async function pass(world: World<Database>, arrived: readonly Arrived[], id: string): Promise<void> {
  const [business] = world.businesses
  const body = JSON.stringify({ event_id: id, event_type: 'test.happened', external_user_id: business?.endUsers[0] })
  await until('acknowledgement', async () => (await world.provider.post(body, 10_000)).status === 200)
  for (const endpoint of business?.endpoints ?? []) {
    const delivery = await until(`delivery of ${id}`, () =>
      arrived.find((one) => one.path === `/${endpoint.ordering}` && one.body.includes(id)),
    )
    verify(endpoint, delivery)
  }
}

function verify({ secret }: Endpoint, { headers, body }: Arrived): void {
  new Webhook(secret).verify(body, headers as Record<string, string>)
}

const businessAt = (url: string) => ({
  endpoints: (['best_effort', 'per_end_user'] as const).map((ordering) => ({ ordering, url: `${url}/${ordering}` })),
  endUsers: 3,
})

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/readyz`).catch(() => null))?.status === 200

test('a world with an emulator and lines: faults happen, and heal', async () => {
  await using stack = new AsyncDisposableStack()
  const receiver = await openReceiver(stack)
  const world = await openWorld(
    { database: embeddedPostgres(), lines: true, businesses: [businessAt(receiver.url)] },
    stack,
  )
  await pass(world, receiver.arrived, 'wh_first')
  const [first, second, third] = world.replicas
  assert.ok(first && second && third)

  const pid = first.pid()
  await first.kill()
  assert.equal(await isReady(first.url), false)
  await first.restart()
  assert.notEqual(first.pid(), pid)
  assert.equal(await isReady(first.url), true)

  await world.lineOf({ replica: 1 }).set({ kind: 'blackHole' })
  await until('refusal', async () => !(await isReady(second.url)))
  third.freeze()
  await first.kill()
  await world.database.kill('crash')
  await world.heal()
  for (const { url } of world.replicas) await until('readiness', () => isReady(url))
  await pass(world, receiver.arrived, 'wh_healed')

  const listed = await world.operator('customers', 'list')
  assert.deepEqual([listed.code, listed.stderr], [0, ''])
  assert.ok(JSON.stringify(listed.answer).includes(String(world.businesses[0]?.id)))
  assert.equal((await world.operator('customers', 'unknown')).code === 0, false)

  const back = world.provider.die(50)
  assert.equal((await world.provider.ask('GET', '/v0/customers')).status, 200)
  await back
  assert.deepEqual((await world.provider.record())?.accounts, [])
  const [row] = await world.database.ask<{ count: number }>('select count(*) from end_users where id <> $1', [''])
  assert.equal(row?.count, 3)
  assert.deepEqual([world.unexpected(), world.database.ends()], [[], 0])
})

test('a world behind a balancer with a silent provider: replicas are replaced, and none fails a request', async () => {
  await using stack = new AsyncDisposableStack()
  const receiver = await openReceiver(stack)
  const world = await openWorld(
    {
      database: embeddedPostgres(),
      replicas: 2,
      route: 'balancer',
      provider: 'silent',
      settings: { SHUTDOWN_DELAY_MS: '400' },
      businesses: [businessAt(receiver.url)],
    },
    stack,
  )
  await pass(world, receiver.arrived, 'wh_first')
  const headers = { authorization: `Bearer ${world.businesses[0]?.apiKey}` }
  const list = () => world.send({ method: 'GET', path: '/v0/end-users', headers }, 10_000)
  const [old] = world.replicas
  assert.ok(old)
  await world.addReplica()
  const statuses: (number | null)[] = []
  let isOver = false
  const calling = (async () => {
    while (!isOver) statuses.push((await list()).status)
  })()
  assert.equal(await world.removeReplica(old, 20_000), 0)
  isOver = true
  await calling
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.deepEqual(
    world.replicas.map(({ name }) => name),
    ['replica 2', 'replica 3'],
  )
  await pass(world, receiver.arrived, 'wh_last')
  assert.equal(await world.provider.record(), null)
  assert.throws(() => world.lineOf('provider'))
  assert.deepEqual(world.unexpected(), [])
})

test('a world on the PostgreSQL of Debian: dies, and heals', async (t) => {
  await using stack = new AsyncDisposableStack()
  const plan = {
    database: debianPostgres({ clock: true }),
    replicas: 1,
    provider: 'silent',
    businesses: [{ endpoints: [], endUsers: 1 }],
  } as const
  const world = await openWorld(plan, stack).catch((error: unknown) => {
    if (!(error instanceof MissingProgram)) throw error
    t.skip(error.message)
  })
  if (!world) return
  world.database.clock.stepTo(3_600)
  const [row] = await world.database.ask<{ off: number }>(
    'select extract(epoch from clock_timestamp())::float8 - $1 as off',
    [Date.now() / 1_000],
  )
  assert.ok(Math.abs(Number(row?.off) - 3_600) < 60)
  await world.database.kill()
  await world.heal()
  await until('readiness', () => isReady(String(world.replicas[0]?.url)))
  assert.deepEqual([await world.database.ask('select 1 as one'), world.database.ends()], [[{ one: 1 }], 0])
})
