// `causeway listen` forwards events in their order, signed, goes on at its place, and outlives itself and its target.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verify } from '../../sdk/src/webhooks/verify.ts'
import { openReceiver, type Received } from '../../server/test/receiver.ts'
import { type TestWorld, testWorld, until } from '../../server/test/test-world.ts'
import { beginCli, callCli, startCli } from './process.ts'

let world: TestWorld
let folder: string
let env: Record<string, string>
before(async () => {
  world = await testWorld()
  folder = await mkdtemp(join(tmpdir(), 'causeway-listen-'))
  env = { CAUSEWAY_URL: world.facts.baseUrl, CAUSEWAY_API_KEY: world.facts.apiKey, HOME: folder }
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

test('listen forwards signed events in order, and after a pause those that it missed, none twice', async () => {
  await using receiver = await openReceiver()
  const args = ['listen', '--forward-to', `127.0.0.1:${receiver.port}/hook`]
  const first = beginCli(args, env)
  await first.says('Ctrl-C ends.')
  await makeUsers('one', 'two')
  await first.says('two  200') // until the answer is there, an event is on its way and may come again
  first.interrupt()
  const { code, stdout } = await first.ended
  assert.equal(code, 130)
  assert.match(stdout, /^[\d:]{8} {2}end_user\.created +one {2}200 {2}\d+ ms {2}evt_\w+\n/)
  const secret = (await callCli(['listen', '--print-secret'], env)).stdout.trim()
  for (const { body, headers } of receiver.seen)
    assert.equal((await verify(body, headers as Record<string, string>, secret)).type, 'end_user.created')

  await makeUsers('missed')
  const second = beginCli([...args, '--json'], env)
  await makeUsers('three')
  await until('both of them', () => receiver.seen.length >= 4)
  second.interrupt()
  await second.ended
  assert.deepEqual(receiver.seen.map(userOf), ['one', 'two', 'missed', 'three'])
})

test('a listener that is killed repeats what was on its way, and loses nothing', async () => {
  let isSilent = true
  await using receiver = await openReceiver(() => (isSilent ? () => {} : 200))
  const args = ['listen', '--forward-to', receiver.url]
  const placed = beginCli(args, env)
  await placed.says('Ctrl-C ends.')
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
  const listener = beginCli(['listen', '--forward-to', receiver.url], env)
  await listener.says('Ctrl-C ends.')
  await makeUsers('waits')
  await until('three tries', () => receiver.seen.length >= 3)
  assert.equal(listener.output().stderr.match(/no connection, trying again/g)?.length, 1)
  isWell = true
  await listener.says('connected again')
  await listener.says('waits  200')
  listener.interrupt()
  assert.equal((await listener.ended).code, 130)
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
  const { baseUrl, apiKey } = world.facts
  const own = { HOME: join(folder, 'person'), CAUSEWAY_HOME: folder }
  const login = ['login', '--base-url', baseUrl, '--api-key', '-']
  assert.equal((await callCli(login, own, { input: 'svc_test_wrong' })).code, 3)
  assert.equal((await callCli(['whoami'], own)).code, 3)
  const { code, stdout, stderr } = await callCli(login, own, { input: apiKey })
  assert.equal(code, 0, stderr)
  assert.ok(!(stdout + stderr).includes(apiKey))
  assert.equal(JSON.parse((await callCli(['whoami'], own)).stdout).customerId, world.facts.customerId)
})
