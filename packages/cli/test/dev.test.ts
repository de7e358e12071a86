// `causeway dev` from its first start to its reset: what it writes, what it keeps, what it leaves.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
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
  assert.match(stdout, /^Stopped\. Data is kept in /m)
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
  assert.match(second.stderr, /Another `npm start` already uses the database of .*CAUSEWAY_HOME/)
  assert.ok(second.stderr.includes(`process ${first.dev.pid}, ${first.facts['baseUrl']}.`), second.stderr)
  assert.equal((await runCli(['dev', '--reset'], env)).code, 1, 'what is in use is not forgotten')
  assert.equal((await whoAmI(first.facts)).status, 200, 'the first goes on')
  await operateBeside(first)
  await opensTheConsole(first)
  await showsStatus(first)
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

/** The printed link signs in once; `causeway open` creates others, for the business and for the operator. */
async function opensTheConsole({ dev, facts }: Started): Promise<void> {
  const roleOf = async (url: string) => {
    const code = new URL(url).hash.slice(1)
    const answer = await request('POST', `${facts['baseUrl']}/console/session`, { code }, { headers: ownPage })
    return answer.body.data?.role ?? answer.body.error.code
  }
  const [printed = ''] = /http:\S+\/console\/link#\S+/.exec(dev.output().stdout) ?? []
  assert.ok(printed.startsWith(`${facts['consoleUrl']}/link#`), printed)
  assert.deepEqual([await roleOf(printed), await roleOf(printed)], ['business', 'console_link_invalid'])
  for (const [page, role] of [
    ['console', 'business'],
    ['operator', 'operator'],
  ] as const) {
    const { stdout, stderr } = await callCli(['open', page], { CAUSEWAY_HOME: home.path })
    assert.equal(stderr, '')
    assert.equal(await roleOf(JSON.parse(stdout).url), role)
  }
  const sandbox = JSON.parse((await callCli(['open', 'sandbox'], { CAUSEWAY_HOME: home.path })).stdout)
  assert.ok(sandbox.url.startsWith(`${facts['consoleUrl']}/link?next=%2Fsandbox#`), sandbox.url)
  for (const args of [['open'], ['open', 'docs']]) {
    const elsewhere = await callCli(args, { CAUSEWAY_HOME: join(home.path, 'nowhere'), HOME: home.path })
    assert.equal(elsewhere.code, 3)
    assert.match(elsewhere.stderr, /npm start/)
  }
}

/** A shell that evaluates `status -o env` has URLs and keys; programs and people read the same. */
async function showsStatus({ facts }: Started): Promise<void> {
  const here = { CAUSEWAY_HOME: home.path }
  const { stdout } = await callCli(['status'], here)
  const status = JSON.parse(stdout)
  assert.deepEqual(
    [status.url, status.apiKey, status.adminSecret, status.consoleUrl, `${status.sandboxUrl}/v0`],
    ['baseUrl', 'apiKey', 'adminSecret', 'consoleUrl', 'providerUrl'].map((name) => facts[name]),
  )
  assert.equal((await callCli(['status', '-o', 'json'], here)).stdout, stdout)
  const { stdout: lines } = await callCli(['status', '-o', 'env'], here)
  const print = 'eval "$1"; env | grep -E "^CAUSEWAY_(URL|API_KEY)=" | sort'
  const shell = execFileSync('sh', ['-c', print, 'sh', lines], { env: { PATH: process.env['PATH'] }, encoding: 'utf8' })
  assert.equal(shell, `CAUSEWAY_API_KEY=${facts['apiKey']}\nCAUSEWAY_URL=${facts['baseUrl']}\n`)
  const person = await callCli(['status'], here, { isInteractive: true })
  assert.match(person.stdout, new RegExp(`^apiKey +${facts['apiKey']}$`, 'm'))
  assert.equal((await callCli(['status', '-o', 'yaml'], here)).code, 2)
  const elsewhere = await callCli(['status'], { CAUSEWAY_HOME: join(home.path, 'nowhere') })
  assert.deepEqual([elsewhere.code, /npm start/.test(elsewhere.stderr)], [1, true])
}

/** The terminal shows each request, event and delivery on its own line. */
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
  const customer = await operate('customers', 'create', '--set', 'name=Beside')
  assert.deepEqual((await operate('customers', 'list'))[0], customer)
  const { key, ...shown } = await operate('customers', 'issue-api-key', customer.id, '--set', 'name=First')
  assert.equal((await whoAmI({ ...facts, apiKey: key })).body.data.customerId, customer.id)
  assert.equal((await operate('customers', 'list-api-keys', customer.id))[0].id, shown.id)
  await operate('customers', 'webhook-url', customer.id, '--set', 'webhookUrl=https://example.com/events')
  assert.equal((await operate('customers', 'update', customer.id, '--set', 'status=suspended')).status, 'suspended')
  assert.equal((await operate('customers', 'update', customer.id, '--set', 'status=active')).status, 'active')
  assert.deepEqual(await operate('migrate'), { schema: 'up to date' })
  assert.equal((await operate('audit-log', 'verify')).ok, true)
  assert.ok((await operate('audit-log', 'list-all', '--customer', customer.id)).length >= 4)
  assert.ok((await operate('audit-log', 'head')).length >= 2)
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
