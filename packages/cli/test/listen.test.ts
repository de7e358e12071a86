// `causeway listen` forwards signed events in order, continues from its position, and survives a restart of itself and its
// target.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verify } from '../../sdk/src/webhooks/verify.ts'
import { until } from '../../server/test/caller.ts'
import { openReceiver, type Received } from '../../server/test/receiver.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { beginCli, callCli, type RunningCommand, startCli } from './process.ts'

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-listen-'))
  env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: world.business.apiKey, HOME: folder }
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

async function makeUsers(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { code, stderr } = await callCli(['end-users', 'create', '--set', `externalUserId=${name}`], env)
    assert.equal(code, 0, stderr)
  }
}

const userOf = ({ body }: Received): string => JSON.parse(String(body)).data.externalUserId

test('listen forwards signed events, those of one end-user in order, and after a pause those that it missed, none twice', async () => {
  await using receiver = await openReceiver()
  const args = ['listen', '--forward-to', `127.0.0.1:${receiver.port}/hook`]
  await using first = beginCli(args, env)
  await first.says('Press Ctrl-C to stop.')
  await makeUsers('one', 'two')
  await first.says(`${'two'.padEnd(20)}  200`) // before its response, an event may be sent again
  first.interrupt()
  const { code, stdout } = await first.ended
  assert.equal(code, 130)
  assert.match(stdout, /^[\d:]{8} {2}end_user\.created +one +200 {2}\d+ ms +evt_\w+\n/)
  const secret = (await callCli(['listen', '--print-secret'], env)).stdout.trim()
  for (const { body, headers } of receiver.seen)
    assert.equal((await verify(body, headers as Record<string, string>, secret)).type, 'end_user.created')

  await makeUsers('missed')
  await using second = beginCli([...args, '--json', '--events', 'end_user.*'], env)
  await makeUsers('three')
  assert.equal((await callCli(['trigger', 'kyc.approved', '--set', 'user.externalUserId=ordered'], env)).code, 0)
  const ordered = () => receiver.seen.filter((received) => userOf(received) === 'ordered')
  await until('all of them', () => linesOf(second).length === 2 + ordered().length && ordered().length >= 3)
  second.interrupt()
  await second.ended
  const users = receiver.seen.map(userOf).filter((user) => user !== 'ordered')
  assert.deepEqual(users.toSorted(), ['missed', 'one', 'three', 'two'])
  const stored = await cli('events', 'list', '--external-user-id', 'ordered')
  assert.deepEqual(
    ordered().map(({ headers }) => headers['webhook-id']),
    stored
      .filter(({ eventType }: { eventType: string }) => eventType.startsWith('end_user.'))
      .map(({ id }: { id: string }) => `${id}_listen`)
      .toReversed()
      .slice(0, ordered().length),
  )
})

test('a listener that is killed repeats what was on its way, and loses nothing', async () => {
  let isSilent = true
  await using receiver = await openReceiver(() => (isSilent ? () => {} : 200))
  // Only this type: the provider may still send events of the test before.
  const args = ['listen', '--forward-to', receiver.url, '--events', 'end_user.created']
  await using placed = beginCli(args, env)
  await placed.says('Press Ctrl-C to stop.')
  await makeUsers('before')
  await until('the first on its way', () => receiver.seen.length === 1)
  placed.interrupt()
  await placed.ended
  isSilent = false
  receiver.seen.length = 0

  const killed = startCli(args, env)
  await until('the first', () => receiver.seen.length === 1)
  await until('what was answered is told', () => killed.output().stdout.includes('before'))
  isSilent = true
  await makeUsers('on-its-way', 'behind')
  await until('one that is not answered', () => receiver.seen.some((seen) => userOf(seen) === 'on-its-way'))
  killed.signal('SIGKILL')
  await killed.ended
  const beforeKill = receiver.seen.map(userOf)
  isSilent = false
  const again = startCli(args, env)
  await until('all', () =>
    ['on-its-way', 'behind'].every((name) => receiver.seen.slice(beforeKill.length).map(userOf).includes(name)),
  )
  again.signal('SIGINT')
  assert.equal((await again.ended).code, 130)
  assert.deepEqual(receiver.seen.slice(beforeKill.length).map(userOf).toSorted(), ['behind', 'on-its-way'])
  assert.equal(beforeKill.filter((name) => name === 'before').length, 1)
})

test('a target that answers nothing is told once, and gets every event when it is well again', {
  timeout: 30_000,
}, async () => {
  let isWell = false
  await using receiver = await openReceiver(() => (isWell ? 200 : (request) => request.socket.destroy()))
  await using listener = beginCli(['listen', '--forward-to', receiver.url], env)
  await listener.says('Press Ctrl-C to stop.')
  await makeUsers('waits')
  await until('three tries', () => receiver.seen.length >= 3)
  assert.equal(listener.output().stderr.match(/Connection to the receiver lost\. Retrying/g)?.length, 1)
  isWell = true
  await listener.says('Connected to the receiver again. The outage began at')
  await listener.says(`${'waits'.padEnd(20)}  200`)
  listener.interrupt()
  assert.equal((await listener.ended).code, 130)
})

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, which assert what they find
async function cli(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await callCli(args, env)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

/** Forwards while `act` runs. @returns what came at the target, and what the listener said */
async function whileListening(
  args: readonly string[],
  act: (seen: readonly Received[], listener: RunningCommand) => Promise<void>,
) {
  await using receiver = await openReceiver()
  await using listener = beginCli(['listen', '--forward-to', receiver.url, ...args], env)
  await listener.says('Press Ctrl-C to stop.')
  await act(receiver.seen, listener)
  listener.interrupt()
  return { seen: receiver.seen, ...(await listener.ended) }
}

const linesOf = (listener: RunningCommand): string[] => listener.output().stdout.split('\n').slice(0, -1)
const typeOf = ({ body }: Received): string => JSON.parse(String(body)).event_type

test('an event, a delivery and a test that are sent on demand reach a listener, and the first two say so', async () => {
  await makeUsers('again')
  const [{ id: eventId }] = await cli('events', 'list', '--external-user-id', 'again')
  const [{ id: deliveryId, webhookEndpointId }] = await cli('deliveries', 'list', '--external-user-id', 'again')
  const { seen, stdout } = await whileListening([], async (_seen, listener) => {
    await cli('events', 'resend', eventId)
    await cli('deliveries', 'retry', deliveryId)
    await cli('webhook-endpoints', 'test', webhookEndpointId)
    // A line is printed after the response.
    await until('all of them', () => linesOf(listener).length === 3)
  })
  assert.deepEqual(seen.map(typeOf).toSorted(), ['end_user.created', 'end_user.created', 'webhook_endpoint.test'])
  assert.equal(new Set(seen.map(({ headers }) => headers['webhook-id'])).size, 2)
  assert.equal(stdout.match(new RegExp(`${eventId} {2}resent$`, 'gm'))?.length, 2)
})

test('--events and --load-endpoint choose by name, by prefix and by source, also among what is sent again', async () => {
  const endpoint = await cli(
    'webhook-endpoints',
    'create',
    '--data',
    `{"webhookUrl":"${world.provider.origin}/inbox/filter","eventTypes":["api_key.*"],"sources":["causeway"]}`,
  )
  for (const filter of [
    ['--events', 'api_key.rolled, no.such'],
    ['--load-endpoint', endpoint.id],
  ]) {
    const { seen } = await whileListening(filter, async (seen) => {
      await makeUsers(`unwanted-${filter[0]}`)
      const [{ id }] = await cli('events', 'list', '--external-user-id', `unwanted-${filter[0]}`)
      await cli('events', 'resend', id)
      const key = await cli('api-keys', 'issue')
      await cli('api-keys', 'roll', key.id, '--set', 'expiresInHours:=0')
      await until('what is wanted', () => seen.length > 0)
    })
    assert.deepEqual(seen.map(typeOf), ['api_key.rolled'])
  }
})

test('--since begins with the events of that time, and --replay sends one more before', async () => {
  await makeUsers('long-ago')
  const [{ id, createdAt }] = await cli('events', 'list', '--external-user-id', 'long-ago')
  await makeUsers('later')
  const { seen, stdout } = await whileListening(
    ['--since', createdAt, '--replay', id, '--json'],
    async (_seen, listener) => {
      await until('three answers', () => linesOf(listener).length === 3)
    },
  )
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ externalUserId, status, resent }) => `${externalUserId} ${status} ${resent}`)
  // The replayed event comes first. Events of two end-users are sent in parallel.
  assert.equal(userOf(seen[0] ?? assert.fail('nothing came')), 'long-ago')
  assert.deepEqual([told[0], ...told.slice(1).sort()], ['long-ago 200 true', 'later 200 false', 'long-ago 200 false'])
  assert.equal((await callCli(['listen', '--since', 'yesterday'], env)).code, 2)
  assert.equal((await callCli(['listen', '--replay', 'evt_absent'], env)).code, 1)
})

test('two listen to one business at once, each with its own target and place; a second with the same is refused', async () => {
  await using one = await openReceiver()
  await using other = await openReceiver()
  await using toOne = beginCli(['listen', '--forward-to', one.url], env)
  await using toOther = beginCli(['listen', '--forward-to', other.url], env)
  const listeners = [toOne, toOther]
  for (const listener of listeners) await listener.says('Press Ctrl-C to stop.')
  const second = await callCli(['listen', '--forward-to', one.url], env)
  assert.deepEqual([second.code, second.stdout], [1, ''])
  assert.match(second.stderr, /^causeway: Another `causeway listen` already forwards .*\. Stop it first/)
  await makeUsers('for-both')
  for (const listener of listeners) await listener.says(`${'for-both'.padEnd(20)}  200`)
  for (const listener of listeners) listener.interrupt()
  for (const listener of listeners) assert.equal((await listener.ended).code, 130)
  for (const { seen } of [one, other])
    assert.equal(seen.filter((received) => userOf(received) === 'for-both').length, 1)
  const { code } = await whileListening([], async () => {})
  assert.equal(code, 130)
})

test('without a target each event is verified and shown, whole when it is asked for', async () => {
  await using listener = beginCli(['listen', '--verbose'], env)
  await listener.says('Press Ctrl-C to stop.')
  await makeUsers('shown')
  await listener.says('"externalUserId": "shown"')
  listener.interrupt()
  assert.match(
    (await listener.ended).stdout,
    /^[\d:]{8} {2}end_user\.created +shown +verified {2}\d+ ms +evt_\w+\n\{\n/m,
  )
})

test('in a terminal of any width, no line is longer than the terminal, and type, end-user, outcome and the whole ID are shown', async () => {
  const name = 'a-long-identifier-of-an-end-user'
  const widths = [40, 60, 80, 120]
  const listeners = widths.map((columns) =>
    beginCli(['listen'], { ...env, HOME: join(folder, `${columns}-columns`) }, { isInteractive: true, columns }),
  )
  await using stack = new AsyncDisposableStack()
  for (const listener of listeners) await stack.use(listener).says('Press Ctrl-C to stop.')
  await makeUsers(name)
  for (const [at, listener] of listeners.entries()) {
    await listener.says('evt_')
    listener.interrupt()
    const { stdout } = await listener.ended
    const lines = stdout.trimEnd().split('\n')
    assert.ok(
      lines.every((line) => line.length <= (widths[at] ?? 0)),
      stdout,
    )
    assert.match(stdout, /^[\d:]{8} {2}end_user\.c\S* +a-lon\S*\s+verified\s+\d+ ms\s+evt_\w{26}\n$/)
    assert.equal(lines.length, [3, 2, 1, 1][at])
  }
})

test('verify says why a webhook is not believed, and send makes one that is', async () => {
  await using receiver = await openReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = JSON.stringify({
    event_id: 'evt_1',
    event_type: 'end_user.created',
    created_at: '2026-01-31T12:00:00.000Z',
    api_version: 'v0',
    data: {},
  })
  const own = { CAUSEWAY_SIGNING_SECRET: secret }
  const sent = await callCli(['send', '--to', receiver.url, '--body', '-'], own, { input: body })
  assert.equal(sent.code, 0, sent.stderr)
  const { headers } = receiver.seen[0] ?? assert.fail('nothing came')
  const given = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => [
    '--header',
    `${name}: ${headers[name]}`,
  ])
  const believed = await callCli(['verify', '--body', body, ...given], own)
  assert.deepEqual([believed.code, JSON.parse(believed.stdout).valid], [0, true])
  const refused = await callCli(['verify', '--body', `${body} `, ...given], own)
  assert.deepEqual([refused.code, JSON.parse(refused.stdout).valid], [1, false])
  assert.match(JSON.parse(refused.stdout).message, /^[a-z_]+: /)
})

test('login keeps a key that is valid, and commands use it from then on', async () => {
  const { url: baseUrl } = world
  const { apiKey } = world.business
  const own = { HOME: join(folder, 'person'), CAUSEWAY_HOME: folder }
  const login = ['login', '--base-url', baseUrl, '--api-key', '-']
  assert.equal((await callCli(login, own, { input: 'svc_test_wrong' })).code, 3)
  assert.equal((await callCli(['whoami'], own)).code, 3)
  const { code, stdout, stderr } = await callCli(login, own, { input: apiKey })
  assert.equal(code, 0, stderr)
  assert.ok(!(stdout + stderr).includes(apiKey))
  assert.equal(JSON.parse((await callCli(['whoami'], own)).stdout).customerId, world.business.id)
})
