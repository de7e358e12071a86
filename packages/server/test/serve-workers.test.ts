// `causeway serve --workers`: several processes behind one port are one service to those who call it, scrape it and stop it.

import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, test } from 'node:test'
import { familyOf, isAlive, runCli, startCli, stateFolder } from '../../cli/test/process.ts'
import { request, until } from './caller.ts'
import { freshEventId } from './provider.ts'
import { openReceiver } from './receiver.ts'
import { type ServeProcess, startServe } from './serve-process.ts'
import { openWorld, type World } from './world.ts'

const workers = 2
const limit = 12

// The world's own server is stopped, so that nobody but the workers does anything.
let world: World
let service: ServeProcess
before(async () => {
  world = await openWorld({ alone: true })
  await world.server.stop()
  // The shorter a send may take, the sooner another worker takes over what a dead one was sending.
  const quick = { WEBHOOK_TIMEOUT_MS: '1000', SHUTDOWN_GRACE_MS: '3000' }
  const env = { RATE_LIMIT_REQUESTS: String(limit), RATE_LIMIT_WINDOW_SECONDS: '600', ...quick }
  service = await startServe(world, env, ['--workers', String(workers)])
})
after(async () => {
  await service.terminate()
  await world.stop()
})

/** On a connection of its own, which goes to the worker whose turn it is. */
function ask(url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = get(new URL(url, service.url), { agent: false, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      resolve({ status: response.statusCode ?? 0, text })
    })
    asked.once('error', reject)
  })
}

/** A business of its own, with a key. */
async function newCaller(url: string): Promise<{ authorization: string }> {
  const operator = { headers: { authorization: `Bearer ${world.operator.secret}` } }
  const { body } = await request('POST', `${url}/v0/customers`, { name: 'Another business' }, operator)
  const key = await request('POST', `${url}/v0/customers/${body.data.id}/api-keys`, {}, operator)
  return { authorization: `Bearer ${key.body.data.key}` }
}

const workerPids = (): number[] => familyOf(service.pid).slice(1)

async function figure(start: string): Promise<number> {
  const { text } = await ask('/metrics')
  const line = text.split('\n').find((candidate) => candidate.startsWith(start))
  return Number(line?.split(' ').at(-1) ?? 0)
}

const serving = () => figure('causeway_workers{state="serving"}')
const healthAnswers = () => figure('causeway_http_requests_total{method="GET",route="/healthz",status="200"}')

test('whichever worker is scraped tells what all of them have done, once for each metric', async () => {
  assert.equal(await serving(), workers)
  for (let count = 0; count < 9; count++) assert.equal((await ask('/healthz')).status, 200)
  // An answer is counted when it has been taken off the connection.
  await until('the count', async () => (await healthAnswers()) === 9)
  // A worker's text may be a second old.
  await until('the count of all, from each', async () => {
    const scrapes = await Promise.all([healthAnswers(), healthAnswers(), healthAnswers(), healthAnswers()])
    return scrapes.every((count) => count === 9)
  })
  const { text } = await ask('/metrics')
  const helps = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name)
  assert.equal(new Set(helps).size, helps.length)
  assert.match(text, /^causeway_database_up 1$/m)
  assert.match(text, /^causeway_build_info\{.*\} 1$/m)
})

test('without Redis the workers count one limit together', async () => {
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const answers = await Promise.all(Array.from({ length: 2 * limit }, () => ask('/v0/whoami', headers)))
  const allowed = answers.filter(({ status }) => status === 200)
  assert.equal(allowed.length, limit)
  assert.ok(answers.every(({ status }) => status === 200 || status === 429))
})

test('kill -9 of a worker loses no acknowledged event and no count, and another one takes its place', async () => {
  await using receiver = await openReceiver()
  const caller = { headers: await newCaller(service.url) }
  await request('POST', `${service.url}/v0/end-users`, { externalUserId: 'worker-1' }, caller)
  await request('PUT', `${service.url}/v0/webhook-url`, { webhookUrl: receiver.url }, caller)
  const counted = await healthAnswers()
  const [victim = 0] = workerPids()
  const acknowledged: string[] = []
  const failures: string[] = []
  const post = async (): Promise<void> => {
    const event = { event_id: freshEventId(), event_type: 'test.happened', external_user_id: 'worker-1' }
    try {
      const answer = await request('POST', `${service.url}/v0/webhooks/provider`, event)
      if (answer.status === 200) acknowledged.push(event.event_id)
      else failures.push(String(answer.status))
    } catch {
      failures.push('connection') // of the worker that died
    }
  }
  for (let count = 0; count < 20; count++) await post()
  const killedAtMs = performance.now()
  process.kill(victim, 'SIGKILL')
  await Promise.all(Array.from({ length: 10 }, post))
  const answeredMs = performance.now() - killedAtMs
  await until('another worker', async () => (await serving()) === workers)
  const replacedMs = performance.now() - killedAtMs
  for (let count = 0; count < 10; count++) await post()
  assert.ok(acknowledged.length >= 30, failures.join())
  assert.ok(!failures.some((failure) => failure !== 'connection'), failures.join())
  const arrived = () => new Set(receiver.seen.map(({ body }) => JSON.parse(body.toString()).event_id))
  await until('every acknowledged event', () => acknowledged.every((id) => arrived().has(id)))
  assert.ok((await healthAnswers()) >= counted, 'a count went down')
  assert.equal(await figure('causeway_worker_restarts_total'), 1)
  assert.ok(answeredMs < 2_000, `the others answered after ${answeredMs} ms`)
  console.log(JSON.stringify({ answeredMs: Math.round(answeredMs), replacedMs: Math.round(replacedMs) }))
})

test('a worker whose supervisor is killed does not stay behind', async () => {
  await using orphaned = await startServe(world, {}, ['--workers', '2'])
  const family = familyOf(orphaned.pid)
  assert.equal(family.length, 3)
  await orphaned.kill()
  await until('the end of the workers', () => !family.some(isAlive))
})

test('SIGTERM ends all of them with 0, and what runs is answered', async () => {
  const stopping = await startServe(world, {}, ['--workers', '2'])
  const family = familyOf(stopping.pid)
  const headers = await newCaller(stopping.url)
  const waiting = request('GET', `${stopping.url}/v0/events?wait=2`, undefined, { headers })
  // Connections are taken in the order in which they come: the one that waits is with a worker when this one is answered.
  await ask(`${stopping.url}/healthz`)
  assert.equal(await stopping.terminate(), 0)
  assert.equal((await waiting).status, 200)
  assert.ok(!family.some(isAlive))
})

test('workers that cannot start end the service with the exit code of the first', async () => {
  const secret = 'not the secret under which things are stored here'
  const other = startServe(world, { DEPLOYMENT_SECRET: secret }, ['--workers', '2'])
  await assert.rejects(other, /DEPLOYMENT_SECRET lacks a secret/)
  const taken = startServe(world, { PORT: new URL(service.url).port }, ['--workers', '2'])
  await assert.rejects(taken, /is in use already/)
})

test('on the embedded database the supervisor holds it for all workers', async () => {
  await using folder = await stateFolder()
  const env = {
    CAUSEWAY_HOME: folder.path,
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: 'http://127.0.0.1:1/v0',
    PROVIDER_API_KEY: 'none',
    PORT: '0',
  }
  const embedded = startCli(['serve', '--workers', '2'], env)
  await embedded.says('2 workers')
  const url = /listens on (\S+)/.exec(embedded.output().stdout)?.[1]
  assert.equal((await request('GET', `${url}/readyz`)).status, 200)
  embedded.signal('SIGTERM')
  assert.equal((await embedded.ended).code, 0, embedded.output().stderr)
  const again = await runCli(['serve', '--workers', '2', '--only', 'relay'], env)
  assert.equal(again.code, 78, 'a part of the service on a database that nobody else can reach')
})
