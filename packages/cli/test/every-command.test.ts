// All commands: each prints JSON with --json, each kind of end has its exit code, and the commands of the README work unchanged.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { verify } from '../../sdk/src/webhooks/verify.ts'
import { databaseLink } from '../../server/test/database-link.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { resourceCommands } from '../src/commands/resources/tree.ts'
import { listCommands } from '../src/commands/tree.ts'
import { beginCli, callCli, type Ended, entry } from './process.ts'

const run = promisify(execFile)
let world: World
let link: Awaited<ReturnType<typeof databaseLink>>
let folder: string
let env: Record<string, string>
/** The environment of the operator. */
let operator: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-every-'))
  const { url: baseUrl } = world
  const { apiKey } = world.business
  const { secret: adminSecret } = world.operator
  const { url: providerUrl, apiKey: providerApiKey } = world.provider
  env = { CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey, CAUSEWAY_ADMIN_SECRET: adminSecret, HOME: folder }
  link = await databaseLink(world.database)
  const { username, password, host, port, database } = link.connection
  operator = {
    HOME: folder,
    DATABASE_URL: `postgres://${username}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    DEPLOYMENT_SECRET: world.inside.config.deploymentSecrets.join(','),
    ADMIN_SECRET: adminSecret,
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: providerUrl,
    PROVIDER_API_KEY: providerApiKey,
  }
})
after(async () => {
  await link[Symbol.asyncDispose]()
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

const signingSecret = 'whsec_Zm9yIHRoZSBkb2N0b3Igb2YgdGhlIHRlc3RzIG9ubHk='

/** A finding, such as that of `verify`, also goes to standard output. */
function assertJson({ code, stdout, stderr }: Ended, name: string): void {
  if (code === 0 || stdout !== '') assert.ok(JSON.parse(stdout) !== undefined, name)
  else assert.match(JSON.parse(stderr).error.code, /^[a-z_]+$/, name)
}

describe('--json', () => {
  test('every operation answers JSON, or a refusal in JSON with its code and request id', async () => {
    const last = ['end-users delete', 'sandbox reset'] // nothing is left to be asked for
    const specs = resourceCommands().toSorted((one, other) => last.indexOf(one.name) - last.indexOf(other.name))
    for (const { name, args = [], options = [] } of specs) {
      const given = args.map(([arg]) => (arg === '<externalUserId>' ? 'ada' : 'none'))
      const body = options.some(([flags]) => flags.startsWith('--data')) ? ['--data', '{}'] : []
      const ended = await callCli([...name.split(' '), ...given, ...body, '--json'], env)
      assert.ok(ended.code === 0 || ended.code === 1, `${name} ended with ${ended.code}: ${ended.stderr}`)
      assertJson(ended, name)
      if (ended.code === 1) assert.match(JSON.parse(ended.stderr).error.requestId, /^req_/, name)
    }
  })

  test('every command that is written by hand answers JSON, or runs until Ctrl-C', async () => {
    const key = world.business.apiKey
    const signed = ['--body', '{}', '--header', 'webhook-id: a', '--secret', signingSecret]
    const rows: readonly [
      name: string,
      args: readonly string[],
      environment: Record<string, string>,
      input?: string,
    ][] = [
      ['version', [], {}],
      ['commands', [], {}],
      ['completion', ['bash'], {}],
      ['open', ['operator'], env],
      ['status', [], { CAUSEWAY_HOME: folder }],
      ['doctor', [], env],
      ['listen', ['--print-secret'], env],
      ['verify', signed, {}],
      ['send', ['--to', `${world.url}/healthz`, '--body', '{}', '--secret', signingSecret], {}],
      ['trigger', ['--list'], env],
      ['fixtures apply', ['nowhere.yml'], env],
      ['login', ['--profile', 'json', '--base-url', world.url, '--api-key', '-'], { HOME: folder }, key],
      ['whoami', [], env],
      ['profiles list', [], env],
      ['profiles use', ['json'], env],
      ['logout', ['--profile', 'json'], env],
      ['migrate', [], operator],
      ['audit-log list-all', ['--limit', '5'], operator],
      ['audit-log verify', [], operator],
      ['audit-log head', [], operator],
      ['secrets rotate', [], operator],
      ['after-restore', ['--skip', '1000'], operator],
      ['provider connect', ['--url', 'https://causeway.example.com/v0/webhooks/provider'], operator],
    ]
    for (const [name, args, environment, input = ''] of rows)
      assertJson(await callCli([...name.split(' '), ...args, '--json'], environment, { input }), name)
    const lasting = ['events tail', 'requests tail', 'mcp'] // they end by Ctrl-C: see their own tests
    const resources = resourceCommands().map(({ name }) => name)
    const known = [...rows.map(([name]) => name), ...lasting, ...resources]
    const rest = listCommands().filter(({ name, reach }) => reach !== 'process' && !known.includes(name))
    assert.deepEqual(rest, [], 'a command without a row')
  })
})

const partly = `steps:
  hopper:
    endUser: { externalUserId: hopper }
  account:
    call:
      operation: reactivateVirtualAccount
      path: { id: va_none }
`

describe('exit codes', () => {
  const away = 'http://127.0.0.1:9'
  const rows: readonly [code: number, what: string, args: string, environment: () => Record<string, string>][] = [
    [0, 'done', 'whoami', () => env],
    [1, 'the server refuses', 'deposits get none', () => env],
    [1, 'a check finds a problem', `doctor --base-url ${away}`, () => ({ HOME: folder })],
    [2, 'an unknown option', 'whoami --unknown', () => env],
    [2, 'a value that no operation takes', 'end-users create --data []', () => env],
    [3, 'no key', 'whoami', () => ({ HOME: folder, CAUSEWAY_HOME: folder })],
    [3, 'a key that is not valid', 'whoami', () => ({ ...env, CAUSEWAY_API_KEY: 'svc_test_wrong' })],
    [4, 'no server', 'whoami', () => ({ ...env, CAUSEWAY_URL: away })],
    [5, 'a step fails behind others that are done', 'fixtures apply FOLDER/partly.yml', () => env],
    [78, 'an environment that is not right', 'migrate', () => ({ LOG_LEVEL: 'loud' })],
  ]
  for (const [code, what, args, environment] of rows) {
    test(`${code}: ${what}`, async () => {
      await writeFile(join(folder, 'partly.yml'), partly)
      const ended = await callCli([...args.replace('FOLDER', folder).split(' '), '--json'], environment())
      assert.equal(ended.code, code, ended.stdout + ended.stderr)
      assert.ok(code === 0 || ended.stdout + ended.stderr !== '')
    })
  }

  test('130: Ctrl-C', async () => {
    await using tail = beginCli(['events', 'tail'], env)
    await tail.says('Press Ctrl-C to stop.')
    tail.interrupt()
    assert.equal((await tail.ended).code, 130)
  })
})

test('every command of the README does what it says', { timeout: 120_000 }, async (t) => {
  await writeFile(join(folder, 'causeway'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`)
  await chmod(join(folder, 'causeway'), 0o755)
  await writeFile(join(folder, 'key.txt'), world.business.apiKey)
  const secret = (await callCli(['listen', '--print-secret'], env)).stdout.trim()
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const isGood = await verify(body, request.headers as Record<string, string>, secret).then(
      () => true,
      () => false,
    )
    response.writeHead(isGood ? 204 : 401).end()
  })
  t.after(() => receiver.close())
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  const lines = blocks.join('').replaceAll('localhost:3000', `localhost:${port}`).trim().split('\n')
  const environment = { ...env, PATH: `${folder}:${process.env['PATH']}` }
  for (const line of lines) {
    // Those that npm runs are run as packed, by `npm run check:package`.
    if (/^np[mx] /.test(line)) continue
    if (line.includes('--forward-to')) {
      await using listener = beginCli(line.split(' ').slice(1), env)
      await listener.says('Press Ctrl-C to stop.')
      await callCli(['trigger', 'end_user.created'], env)
      await listener.says('end_user.created')
      listener.interrupt()
      assert.equal((await listener.ended).code, 130)
    } else await run('bash', ['-ec', line], { cwd: folder, env: environment })
  }
})
