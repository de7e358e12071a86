// Signing in and out: keys by standard input, by a question, at a real terminal; and the file in which they are kept.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import type { Terminal } from '../src/command.ts'
import { callCli, entry } from './process.ts'

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
})
after(() => world.stop())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-profile-'))
  env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'none') }
})
afterEach(() => rm(folder, { recursive: true }))

const kept = (): string => join(folder, '.config/causeway/profiles.json')
const signIn = (name: string, key = world.business.apiKey) =>
  callCli(['login', '--profile', name, '--base-url', world.url, '--api-key', '-'], env, { input: key })

function answering(answers: (string | null)[]): { ask: NonNullable<Terminal['ask']>; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async ask({ message, isSecret }) {
      asked.push(`${isSecret ? 'secret' : 'open'}: ${message}`)
      return answers.shift() ?? null
    },
  }
}

describe('login', () => {
  test('a profile is kept in a file of its owner, whole, and used from then on; the key is shown masked', async () => {
    const { url: baseUrl } = world
    const { apiKey, id: customerId } = world.business
    const { code, stdout, stderr } = await signIn('first')
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).customerId, customerId)
    assert.ok(!(stdout + stderr).includes(apiKey))
    assert.equal((await stat(kept())).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(join(folder, '.config/causeway')), ['profiles.json'])
    const whoami = JSON.parse((await callCli(['whoami', '--json'], env)).stdout)
    assert.deepEqual([whoami.profile, whoami.baseUrl, whoami.customerId], ['first', baseUrl, customerId])
    assert.match(whoami.key, /^svc_test_….{4}$/)
  })

  test('a file that others could read is replaced by one that they cannot', async () => {
    await mkdir(join(folder, '.config/causeway'), { recursive: true })
    await writeFile(kept(), '{}', { mode: 0o644 })
    assert.equal((await signIn('first')).code, 0)
    assert.equal((await stat(kept())).mode & 0o777, 0o600)
  })

  test('what is not given is asked for, the key hidden; a question that is ended keeps nothing: 130', async () => {
    const { url: baseUrl } = world
    const { apiKey } = world.business
    const person = answering([baseUrl, apiKey])
    const { code } = await callCli(['login'], env, { ask: person.ask })
    assert.equal(code, 0)
    assert.deepEqual(person.asked, ['open: URL of Causeway', `secret: API key for ${baseUrl}`])

    // The address of a profile is known: only the new key is asked for.
    const again = answering([null])
    const ended = await callCli(['login', '--profile', 'default'], env, { ask: again.ask })
    assert.deepEqual([ended.code, again.asked], [130, [`secret: API key for ${baseUrl}`]])
    assert.equal((await callCli(['whoami'], env)).code, 0)
  })

  test('a key that the server refuses is not kept, nor one that no server has judged', async () => {
    assert.equal((await signIn('wrong', 'svc_test_wrong')).code, 3)
    const away = ['login', '--base-url', 'http://127.0.0.1:1', '--api-key', '-']
    assert.equal((await callCli(away, env, { input: world.business.apiKey })).code, 4)
    const broken = await signIn('broken', 'svc_test_a b')
    assert.equal(broken.code, 2)
    assert.ok(!broken.stderr.includes('svc_test_a'))
    assert.deepEqual(JSON.parse((await callCli(['profiles', 'list', '--json'], env)).stdout), [])
  })

  test('where nobody can be asked, both have to be given: 2', async () => {
    for (const args of [['login'], ['login', '--base-url', world.url]]) {
      const { code, stderr } = await callCli(args, env)
      assert.equal(code, 2)
      assert.match(stderr, /--base-url, and the API key on standard input with --api-key -, or --browser/)
    }
  })

  test('at a real terminal the key that is typed is not shown', { skip: lacking('script') }, async () => {
    const { url: baseUrl } = world
    const { apiKey } = world.business
    const command = `stty cols 100 rows 24; exec '${process.execPath}' '${entry}' login --base-url ${baseUrl}`
    const { PATH = '' } = process.env
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH, TERM: 'xterm', ...env },
      timeout: 60_000,
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    await until('the question', () => said.includes('API key for'))
    child.stdin.write(`${apiKey}\r`)
    const [code] = await once(child, 'close')
    assert.equal(code, 0, said)
    assert.ok(!said.includes(apiKey))
    assert.equal(JSON.parse(await readFile(kept(), 'utf8')).profiles.default.apiKey, apiKey)
  })
})

describe('profiles', () => {
  test('several are listed with masked keys, one is current, another is chosen', async () => {
    await signIn('first')
    await signIn('second')
    const list = async () => JSON.parse((await callCli(['profiles', 'list', '--json'], env)).stdout)
    const current = async () => (await list()).find((profile: { current: boolean }) => profile.current).name
    assert.deepEqual([(await list()).length, await current()], [2, 'second'])
    assert.ok(!JSON.stringify(await list()).includes(world.business.apiKey))
    assert.equal((await callCli(['profiles', 'use', 'first'], env)).code, 0)
    assert.equal(await current(), 'first')
    assert.equal((await callCli(['whoami', '--profile', 'second'], env)).code, 0)
    const table = await callCli(['profiles', 'list'], env, { isInteractive: true })
    assert.match(table.stdout, /^name +baseUrl +key +current\n/)
  })

  test('logout forgets the key: a command has none then, and other profiles stay', async () => {
    await signIn('first')
    await signIn('second')
    const { code, stderr } = await callCli(['logout'], env)
    assert.deepEqual([code, /api-keys revoke/.test(stderr)], [0, true])
    assert.equal((await callCli(['whoami'], env)).code, 3)
    assert.equal((await callCli(['whoami', '--profile', 'first'], env)).code, 0)
    assert.equal((await callCli(['logout', '--profile', 'first'], env)).code, 0)
    assert.ok(!(await readFile(kept(), 'utf8')).includes(world.business.apiKey))
  })

  test('a file of profiles that is not JSON is named, with what to do', async () => {
    await signIn('first')
    await writeFile(kept(), '{ oops')
    for (const args of [['whoami'], ['profiles', 'list'], ['logout']]) {
      const { code, stderr } = await callCli(args, env)
      assert.equal(code, 1, args.join(' '))
      assert.ok(stderr.startsWith(`causeway: The file ${kept()} is not valid JSON: `), stderr)
      assert.match(stderr, /Correct the file, or delete it and run `causeway login`\.\n$/)
    }
  })

  test('a key in the environment without a URL is not used, and a warning says which key and URL are', async () => {
    const { url: baseUrl } = world
    await signIn('first')
    const ignored = { ...env, CAUSEWAY_API_KEY: 'svc_test_of_another_deployment' }
    const { code, stdout, stderr } = await callCli(['whoami', '--json'], ignored)
    assert.deepEqual([code, JSON.parse(stdout).baseUrl], [0, baseUrl])
    const { warning } = JSON.parse(stderr)
    assert.equal(warning.code, 'api_key_ignored')
    const used = `Using the profile first: ${baseUrl} with the key ${JSON.parse(stdout).key}.`
    assert.equal(warning.message, `CAUSEWAY_API_KEY is ignored because CAUSEWAY_URL is not set. ${used}`)
    assert.equal((await callCli(['whoami'], ignored)).stderr, `Warning: ${warning.message}\n`)
    for (const args of [
      ['--profile', 'first'],
      ['--base-url', baseUrl],
    ])
      assert.doesNotMatch((await callCli(['whoami', ...args], ignored)).stderr, /Warning/)
    assert.equal((await callCli(['whoami'], { ...env, CAUSEWAY_API_KEY: world.business.apiKey })).stderr, '')
  })

  test('a profile that is not there is said with the way to one: 3', async () => {
    for (const args of [
      ['logout'],
      ['logout', '--profile', 'none'],
      ['profiles', 'use', 'none'],
      ['whoami', '--profile', 'constructor'],
    ]) {
      const { code, stderr } = await callCli(args, env)
      assert.equal(code, 3, args.join(' '))
      assert.match(stderr, /There is no (current )?profile/)
    }
  })
})
