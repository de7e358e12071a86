// `causeway dev` from its first start to its reset: what it writes, what it keeps, what it leaves.

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { request, until } from '../../server/test/caller.ts'
import { ownPage } from '../../server/test/console-browser.ts'
import { type CliProcess, callCli, familyOf, isAlive, runCli, startCli, stateFolder } from './process.ts'

const home = await stateFolder()
const env = { CAUSEWAY_HOME: home.path, PORT: '0', SANDBOX_PORT: '0' }
let running: Started | null = null
after(async () => {
  running?.dev.signal('SIGTERM')
  await running?.dev.ended
  await home[Symbol.asyncDispose]()
})

type Facts = Record<string, string>
type Started = { dev: CliProcess; facts: Facts }

async function start(args: readonly string[] = []): Promise<Started> {
  const dev = startCli(['dev', ...args], env)
  running = { dev, facts: {} }
  await dev.says('Ctrl-C stops everything')
  running.facts = JSON.parse(await readFile(join(home.path, 'dev.json'), 'utf8')) as Facts
  return running
}

async function stop(dev: CliProcess): Promise<void> {
  const family = familyOf(dev.pid)
  assert.ok(family.length >= 3, 'itself, the database and the emulator')
  dev.signal('SIGINT')
  const { code, stdout, stderr } = await dev.ended
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /nothing is left running/)
  await until('the end of every process', () => family.every((pid) => !isAlive(pid)))
}

const whoAmI = ({ baseUrl, apiKey }: Facts) =>
  request('GET', `${baseUrl}/v0/whoami`, undefined, { headers: { authorization: `Bearer ${apiKey}` } })

test('dev makes a world that works, tells it in dev.json for its owner alone, and keeps it until --reset', async () => {
  const first = await start()
  assert.deepEqual(Object.keys(first.facts).toSorted(), [
    'adminSecret',
    'apiKey',
    'baseUrl',
    'consoleUrl',
    'customerId',
    'providerApiKey',
    'providerUrl',
    'tosOrigin',
  ])
  assert.equal((await stat(join(home.path, 'dev.json'))).mode & 0o777, 0o600)
  assert.equal((await stat(join(home.path, 'secrets.json'))).mode & 0o777, 0o600)
  assert.equal((await whoAmI(first.facts)).body.data.customerId, first.facts['customerId'])
  assert.ok(first.dev.output().stdout.includes(String(first.facts['apiKey'])))

  const second = await runCli(['dev'], env)
  assert.equal(second.code, 1)
  assert.match(second.stderr, /Another npm start already works with the database of .*CAUSEWAY_HOME/)
  assert.ok(second.stderr.includes(`process ${first.dev.pid}, ${first.facts['baseUrl']}.`), second.stderr)
  assert.equal((await runCli(['dev', '--reset'], env)).code, 1, 'what is in use is not forgotten')
  assert.equal((await whoAmI(first.facts)).status, 200, 'the first goes on')
  await operateBeside(first)
  await opensTheConsole(first)
  await showsWhatHappens(first)
  await stop(first.dev)

  const again = await start()
  assert.equal(again.facts['apiKey'], first.facts['apiKey'])
  assert.equal((await whoAmI(again.facts)).body.data.customerId, first.facts['customerId'])
  await stop(again.dev)

  const fresh = await start(['--reset'])
  assert.notEqual(fresh.facts['apiKey'], first.facts['apiKey'])
  assert.equal((await whoAmI({ ...fresh.facts, apiKey: String(first.facts['apiKey']) })).status, 401)
})

/** The printed link signs in once; `causeway open` makes others, for the business and for the operator. */
async function opensTheConsole({ dev, facts }: Started): Promise<void> {
  const roleOf = async (url: string) => {
    const code = new URL(url).hash.slice(1)
    const answer = await request('POST', `${facts['baseUrl']}/console/session`, { code }, { headers: ownPage })
    return answer.body.data?.role ?? answer.body.error.code
  }
  const [printed = ''] = /http:\S+\/console\/link#\S+/.exec(dev.output().stdout) ?? []
  assert.ok(printed.startsWith(`${facts['consoleUrl']}/link#`), printed)
  assert.deepEqual([await roleOf(printed), await roleOf(printed)], ['business', 'console_link_invalid'])
  for (const role of ['business', 'operator']) {
    const { stdout, stderr } = await callCli(['open', role], { CAUSEWAY_HOME: home.path })
    assert.equal(stderr, '')
    assert.equal(await roleOf(JSON.parse(stdout).url), role)
  }
  const elsewhere = await callCli(['open'], { CAUSEWAY_HOME: join(home.path, 'nowhere') })
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.stderr, /npm start/)
}

/** The terminal tells each request, event and delivery in a line of its own. */
async function showsWhatHappens({ dev, facts }: Started): Promise<void> {
  const headers = { authorization: `Bearer ${facts['apiKey']}` }
  await request('POST', `${facts['baseUrl']}/v0/end-users`, { externalUserId: 'seen' }, { headers })
  const lines = [
    /^ {2}[\d:]{8} POST {4}\/v0\/end-users {2,}200 +\d+ ms$/m,
    /^ {2}[\d:]{8} event {3}end_user\.created {2,}seen$/m,
    /^ {2}[\d:]{8} deliver end_user\.created {2,}200 +\d+ ms whe_\w+$/m,
  ]
  await until('a line for each', () => lines.every((line) => line.test(dev.output().stdout)))
}

/** Every command of the operator works in the folder of a world that runs, with no setting but the folder. */
async function operateBeside({ facts }: Started): Promise<void> {
  const operate = async (...args: string[]) => {
    const { code, stdout, stderr } = await callCli(args, { CAUSEWAY_HOME: home.path })
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    return JSON.parse(stdout)
  }
  const customer = await operate('customer', 'create', '--name', 'Beside')
  assert.deepEqual((await operate('customer', 'list'))[0], customer)
  const { key, ...shown } = await operate('key', 'issue', '--customer', customer.id, '--name', 'First')
  assert.equal((await whoAmI({ ...facts, apiKey: key })).body.data.customerId, customer.id)
  assert.equal((await operate('key', 'list', '--customer', customer.id))[0].id, shown.id)
  await operate('customer', 'webhook-url', '--customer', customer.id, '--url', 'https://example.com/events')
  assert.equal((await operate('customer', 'suspend', '--customer', customer.id)).status, 'suspended')
  assert.equal((await operate('customer', 'activate', '--customer', customer.id)).status, 'active')
  assert.deepEqual(await operate('migrate'), { schema: 'up to date' })
  assert.equal((await operate('audit', 'verify')).ok, true)
  assert.ok((await operate('audit', 'list', '--customer', customer.id)).length >= 4)
  assert.ok((await operate('audit', 'head')).length >= 2)
  const { checks } = JSON.parse((await callCli(['doctor', '--json'], { CAUSEWAY_HOME: home.path })).stdout)
  assert.deepEqual(
    checks.filter(({ state }: { state: string }) => state === 'problem'),
    [],
  )
}

test('an inbox verifies what each endpoint that points at it sends, with the secret of that endpoint', async () => {
  const { dev, facts } = running ?? (await start())
  const inbox = `${facts['providerUrl']?.replace(/\/v0$/, '')}/inbox/dev`
  const headers = { authorization: `Bearer ${facts['apiKey']}` }
  const call = (method: string, path: string, body?: unknown) =>
    request(method, `${facts['baseUrl']}${path}`, body, { headers })
  const { id } = (await call('POST', '/v0/webhook-endpoints', { webhookUrl: inbox })).body.data
  await call('POST', `/v0/webhook-endpoints/${id}/rotate-secret`, { overlapHours: 1 })
  await call('POST', '/v0/end-users', { externalUserId: 'two-endpoints', email: 'two-endpoints@example.com' })
  await until('both deliveries are verified', async () => {
    const { data } = (await request('GET', `${inbox}/messages`)).body
    const own = data.filter((message: { externalUserId: string }) => message.externalUserId === 'two-endpoints')
    return own.length === 2 && own.every(({ verdict }: { verdict: string }) => verdict === 'valid')
  })
  await stop(dev)
})
