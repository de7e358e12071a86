// `npm start`, `causeway listen` and `causeway trigger` as separate processes: from nothing to a verified event. Also the end of
// the server, and of the reader of the output.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { freePort, until } from '../../server/test/caller.ts'
import { openReceiver, type Received } from '../../server/test/receiver.ts'
import { type CliProcess, callCli, entry, isAlive, runCli, startCli, stateFolder } from './process.ts'

const home = await stateFolder()
const env = {
  CAUSEWAY_HOME: home.path,
  HOME: home.path,
  PORT: String(await freePort()),
  SANDBOX_PORT: String(await freePort()),
}
const running: CliProcess[] = []
after(async () => {
  for (const one of running.reverse()) {
    one.signal('SIGTERM')
    await one.ended
  }
  await home[Symbol.asyncDispose]()
})

function start(...args: string[]): CliProcess {
  const one = startCli(args, env)
  running.push(one)
  return one
}

async function startDev(): Promise<CliProcess> {
  const dev = start('dev')
  await dev.says('Ctrl-C stops everything')
  return dev
}

const startedMs = performance.now()
const startMsMax = 60_000
const first = await startDev()

const userOf = ({ body }: Received): string => JSON.parse(String(body)).data.externalUserId

async function makeUser(externalUserId: string): Promise<void> {
  const { code, stderr } = await callCli(['end-users', 'create', '--set', `externalUserId=${externalUserId}`], env)
  assert.equal(code, 0, stderr)
}

test('npm start, listen and one trigger show a verified event of a deposit within a minute', async () => {
  const listener = start('listen')
  await until('the listener', () => listener.output().stderr.includes('Press Ctrl-C to stop.'))
  const { code, stdout, stderr } = await runCli(['trigger', 'deposit.completed'], env)
  assert.equal(code, 0, stderr)
  const { id, eventType } = JSON.parse(stdout)
  assert.equal(eventType, 'virtual_account.payment.received')
  await listener.says(id)
  assert.match(
    listener.output().stdout,
    new RegExp(`^[\\d:]{8} {2}virtual_account\\.payment\\.received +trigger-user +verified {2}\\d+ ms +${id}$`, 'm'),
  )
  assert.ok(performance.now() - startedMs < startMsMax)
  listener.signal('SIGINT')
  assert.equal((await listener.ended).code, 130)
})

test('a listener outlives the death of its server, says so once, and forwards each event once', async () => {
  await using receiver = await openReceiver()
  const listener = start('listen', '--forward-to', receiver.url)
  await until('the listener', () => listener.output().stderr.includes('Press Ctrl-C to stop.'))
  await makeUser('before')
  await listener.says(`${'before'.padEnd(20)}  200`)
  first.signal('SIGKILL')
  await until('the end of the server', () => !isAlive(first.pid))
  await until('the outage', () => listener.output().stderr.includes('Connection to the server lost. Retrying'))
  await startDev()
  await makeUser('after')
  await listener.says(`${'after'.padEnd(20)}  200`)
  const { stderr } = listener.output()
  assert.equal(stderr.match(/Connection to the server lost/g)?.length, 1)
  assert.match(stderr, /Connected to the server again. The outage began at [\d:]{8}\n$/)
  assert.deepEqual(receiver.seen.map(userOf), ['before', 'after'])
  listener.signal('SIGINT')
  assert.equal((await listener.ended).code, 130)
})

test('a listener ends when the reader of its output has enough', { timeout: 30_000 }, async (t) => {
  const child = spawn(process.execPath, [entry, 'listen', '--json'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString()
    })
  await until('the listener', () => said.stderr.includes('Press Ctrl-C to stop.'))
  await makeUser('read')
  await until('its line', () => said.stdout.includes('"externalUserId":"read"'))
  child.stdout.destroy()
  await makeUser('unread')
  const [code, signal] = await ended
  assert.deepEqual([code, signal], [0, null])
})
