// Commands that talk to a server: the operations of the API, and the tails. On a running world, within this process.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openWorld, type World } from '../../server/test/world.ts'
import { beginCli, callCli } from './process.ts'

let world: World
let env: Record<string, string>
let folder: string
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-cli-api-'))
  const { url: baseUrl } = world
  const { apiKey } = world.business
  const { secret: adminSecret } = world.operator
  env = { CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey, CAUSEWAY_ADMIN_SECRET: adminSecret, HOME: folder }
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true })
})

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, which assert what they find
async function cli(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await callCli(args, env)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

describe('operations', () => {
  test('an end-user is made from a file and fields, read, listed by pages and deleted', async () => {
    const file = join(folder, 'body.json')
    await writeFile(file, '{"externalUserId":"ada","metadata":{"kept":"yes"}}')
    const made = await cli(
      'end-users',
      'create',
      '--data',
      `@${file}`,
      '--set',
      'email=ada@example.com',
      '--set',
      'metadata.tier=gold',
    )
    assert.deepEqual(made.metadata, { kept: 'yes', tier: 'gold' })
    const read = await cli('end-users', 'get', 'ada')
    assert.equal(read.email, 'ada@example.com')
    await cli('end-users', 'create', '--set', 'externalUserId=a/b')
    assert.equal((await cli('end-users', 'get', 'a/b')).externalUserId, 'a/b')
    const page = await callCli(['end-users', 'list', '--limit', '1'], env)
    const [, cursor = ''] = /^More: --cursor (\S+)$/m.exec(page.stderr) ?? []
    assert.deepEqual(
      [JSON.parse(page.stdout)[0].externalUserId, (await cli('end-users', 'list', '--cursor', cursor))[0].id],
      ['a/b', made.id],
    )
    await cli('end-users', 'delete', 'a/b')
  })

  test('an onboarding link is made, listed without its code and revoked; the branding is set and read', async () => {
    await cli('end-users', 'create', '--set', 'externalUserId=linked')
    const { id, url } = await cli('onboarding-links', 'create', 'linked', '--set', 'rails:=["eur"]')
    assert.match(url, new RegExp(`/onboard/${id}#`))
    const [listed] = await cli('onboarding-links', 'list', 'linked')
    assert.deepEqual([listed.id, listed.rails, listed.url], [id, ['eur'], undefined])
    assert.equal((await cli('onboarding-links', 'revoke', id)).status, 'revoked')
    await cli('branding', 'set', '--set', 'name=Nubia', '--set', 'colors.primary=#1d4ed8')
    assert.equal((await cli('branding', 'get')).colors.primary, '#1d4ed8')
  })

  test('a body comes from standard input, and a repeat under the same key does nothing twice', async () => {
    const args = ['end-users', 'create', '--data', '-', '--idempotency-key', 'from-the-shell']
    const input = '{"externalUserId":"piped"}'
    const [first, second] = [await callCli(args, env, { input }), await callCli(args, env, { input })]
    assert.deepEqual([first.code, second.stdout], [0, first.stdout])
  })

  test('deliveries are listed by state, and the operator uses his own secret', async () => {
    assert.deepEqual(await cli('deliveries', 'list', '--failed'), [])
    assert.ok((await cli('customers', 'list')).some(({ id }: { id: string }) => id === world.business.id))
  })

  test('a terminal gets a table, in which nothing of the server is obeyed', async () => {
    await cli('end-users', 'create', '--data', '{"externalUserId":"table","metadata":{"odd":"\\u202eab"}}')
    const { stdout } = await callCli(['end-users', 'list', '--external-user-id', 'table'], env, { isInteractive: true })
    assert.match(
      stdout,
      /^type +kycStatus +externalUserId .* +createdAt +id\nindividual +not_started +table .* +eu_\w+$/m,
    )
    const one = await callCli(['end-users', 'get', 'table'], env, { isInteractive: true })
    assert.match(one.stdout, /^externalUserId +table$/m)
    assert.ok(!one.stdout.includes('\u202e'))
  })
})

describe('failures', () => {
  const whoami = ['whoami']
  test('a refusal ends with 1 and names code, request and page; with --json for a program', async () => {
    const { code, stderr } = await callCli(['end-users', 'get', 'nobody'], env)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /404 holder_not_found: .*\(request req_\w+\)\nNext: http:\/\/.*\/docs\/errors\/holder_not_found\n$/,
    )
    const told = await callCli(['end-users', 'get', 'nobody', '--json'], env)
    const { error } = JSON.parse(told.stderr)
    assert.equal(error.code, 'holder_not_found')
    assert.match(error.requestId, /^req_/)
  })
  test('a mistake in --data or --set ends with 2 before anything is sent', async () => {
    const nowhere = { CAUSEWAY_URL: 'http://127.0.0.1:1', CAUSEWAY_API_KEY: 'svc_test_x' }
    for (const wrong of [
      ['--data', '[]'],
      ['--data', '@/nowhere'],
      ['--set', 'novalue'],
      ['--set', 'a:={'],
      ['--set', '__proto__.a=b'],
    ])
      assert.equal((await callCli(['end-users', 'create', ...wrong], nowhere)).code, 2, wrong.join(' '))
  })
  test('without a key it is 3, with a wrong one too', async () => {
    const none = await callCli(whoami, { HOME: folder, CAUSEWAY_HOME: folder })
    assert.deepEqual([none.code, none.stdout], [3, ''])
    assert.match(
      none.stderr,
      /^causeway: No API key found\. Run `causeway login`, start the local environment with `npm start`/,
    )
    assert.equal((await callCli(whoami, { ...env, CAUSEWAY_API_KEY: 'svc_test_wrong' })).code, 3)
  })
  test('a server that does not answer is 4', async () => {
    assert.equal((await callCli(whoami, { ...env, CAUSEWAY_URL: 'http://127.0.0.1:1' })).code, 4)
  })
  test('a key is taken from standard input and never from the arguments', async () => {
    const { url: baseUrl } = world
    const { apiKey } = world.business
    const args = [...whoami, '--base-url', baseUrl, '--api-key']
    assert.equal((await callCli([...args, '-'], { HOME: folder }, { input: `${apiKey}\n` })).code, 0)
    const { code, stderr } = await callCli([...args, apiKey], { HOME: folder })
    assert.equal(code, 2)
    assert.ok(!stderr.includes(apiKey))
  })
})

describe('tails', () => {
  test('events tail shows each event that fits from now on, as lines or JSON, and ends with 130', async () => {
    await using lines = beginCli(['events', 'tail', '--external-user-id', 'tailed'], env)
    await using json = beginCli(['events', 'tail', '--json'], env)
    const tails = [lines, json]
    for (const tail of tails) await tail.says('Press Ctrl-C to stop.')
    await cli('end-users', 'create', '--set', 'externalUserId=untailed')
    await cli('end-users', 'create', '--set', 'externalUserId=tailed')
    await lines.says('end_user.created')
    await json.says('"externalUserId":"tailed"')
    for (const tail of tails) tail.interrupt()
    const [shown, told] = await Promise.all(tails.map((tail) => tail.ended))
    assert.equal(shown?.code, 130)
    assert.match(shown?.stdout ?? '', /^[\d:]{8} {2}end_user\.created +tailed +evt_\w+\n$/)
    const events = told?.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).externalUserId)
    assert.deepEqual(events?.slice(-2), ['untailed', 'tailed'])
  })

  test('requests tail shows the requests that the server filtered, each once', async () => {
    await using tail = beginCli(['requests', 'tail', '--status', '4xx'], env)
    await tail.says('Press Ctrl-C to stop.')
    const refused = async (...args: string[]): Promise<string> => {
      const { stderr } = await callCli([...args, '--json'], env)
      return JSON.parse(stderr).error.requestId
    }
    const first = await refused('end-users', 'get', 'missed')
    await cli('whoami')
    await tail.says(first)
    const second = await refused('deposits', 'get', 'missed')
    await tail.says(second)
    tail.interrupt()
    const lines = (await tail.ended).stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    // The server writes its log of requests once a second: a refusal from before the start may come first.
    assert.deepEqual(
      lines.slice(-2).map(([, method, path, status]) => [method, path, status]),
      [
        ['GET', '/v0/end-users/:externalUserId', '404'],
        ['GET', '/v0/deposits/:id', '404'],
      ],
    )
    const ids = lines.map((line) => line.find((cell) => cell.startsWith('req_')))
    assert.deepEqual(ids.slice(-2), [first, second])
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(lines.every(([, , , status]) => status?.startsWith('4')))
  })
})
