// Messages for mistakes: of the user, of the environment, and of the machine.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { dataOf } from '../../embedded-postgres/src/cluster.ts'
import { locate } from '../../embedded-postgres/src/place.ts'
import { callCli, entry, runCli, stateFolder } from './process.ts'

const run = promisify(execFile)

const usageMistakes: readonly [args: string, says: RegExp][] = [
  ['', /Usage: causeway/],
  ['bogus', /unknown command 'bogus'/],
  ['custmers list', /unknown command 'custmers'\n\(Did you mean customers\?\)/],
  ['nonsense --help', /unknown command 'nonsense'[\s\S]*causeway --help lists the commands/],
  ['event --help', /unknown command 'event'\n\(Did you mean events\?\)/],
  ['deposits lst -h', /unknown command 'lst'\n\(Did you mean list\?\)/],
  ['customer create', /unknown command 'customer'\n\(Did you mean customers\?\)/],
  ['customers lst', /unknown command 'lst'\n\(Did you mean list\?\)/],
  ['provider connect --url=', /option '--url <url>' argument '' is invalid.*\n[\s\S]*causeway provider connect --url /],
  ['provider connect', /required option '--url <url>' not specified[\s\S]*causeway provider connect --url /],
  ['serve --name x', /unknown option '--name'[\s\S]*causeway serve/],
  ['migrate --reset', /unknown option '--reset'/],
  ['migrate now', /too many arguments for 'migrate'/],
  ['serve --only relays', /--only takes api or relay/],
  ['dev --only api', /unknown option '--only'/],
  ['serve --olny api', /unknown option '--olny'\n\(Did you mean --only\?\)/],
]

describe('a slip of the fingers', { concurrency: 2 }, () => {
  for (const [args, says] of usageMistakes) {
    test(`"causeway ${args}" ends with 2, and says what is wrong and what is right, before anything is read`, async () => {
      const { code, stderr, stdout } = await callCli(args.split(' ').filter(Boolean), { DATABASE_URL: 'nonsense' })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, says)
    })
  }

  test('--help and --version answer on standard output and end with 0', async () => {
    const help = await runCli(['--help'])
    assert.equal(help.code, 0)
    assert.match(help.stdout, /^ {2}provider /m)
    const { stdout } = await callCli(['--version'])
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })
})

describe('a wrong environment', { concurrency: 2 }, () => {
  const secrets = { ADMIN_SECRET: 'tiny-secret', DEPLOYMENT_SECRET: 'another-tiny-secret' }

  test('serve names every problem at once, ends with 78 and repeats no value', async () => {
    const env = {
      ...secrets,
      CAUSEWAY_MODE: 'live',
      DATABASE_URL: 'mysql://u:hunter2@h/x',
      PORT: '99999',
      LOG_LEVEL: 'loud',
    }
    const { code, stderr } = await runCli(['serve'], env)
    assert.equal(code, 78)
    const names = ['ADMIN_SECRET', 'DEPLOYMENT_SECRET', 'DATABASE_URL', 'PORT', 'LOG_LEVEL', 'PROVIDER_API_KEY']
    for (const name of names) assert.match(stderr, new RegExp(`^  - ${name} `, 'm'))
    assert.doesNotMatch(stderr, /hunter2|tiny-secret|99999|loud/)
  })

  test('live mode does not start with what can be guessed or overheard: 78, and each setting is named', async () => {
    const env = {
      CAUSEWAY_MODE: 'live',
      DEPLOYMENT_SECRET: 'a'.repeat(40),
      ADMIN_SECRET: 'b'.repeat(40),
      PROVIDER_URL: 'http://provider.example.com/v0',
      PROVIDER_API_KEY: 'sk-live-unused',
    }
    const { code, stderr } = await callCli(['serve'], env)
    assert.equal(code, 78)
    for (const name of ['DEPLOYMENT_SECRET', 'ADMIN_SECRET', 'PROVIDER_URL', 'PUBLIC_URL'])
      assert.match(stderr, new RegExp(`^  - ${name} `, 'm'))
    assert.doesNotMatch(stderr, /aaaa|bbbb|provider\.example/)
  })

  test('dev does the same, and has started and written nothing by then', async () => {
    await using home = await stateFolder()
    const env = { CAUSEWAY_HOME: home.path, PORT: 'abc', SANDBOX_PORT: '-1', LOG_LEVEL: 'loud' }
    const { code, stderr } = await runCli(['dev'], env)
    assert.equal(code, 78)
    for (const name of ['PORT', 'SANDBOX_PORT', 'LOG_LEVEL']) assert.match(stderr, new RegExp(`^  - ${name} `, 'm'))
    assert.deepEqual(await readdir(home.path), [])
  })

  test('a database that does not answer is named as the cause, without the password', async () => {
    const env = {
      DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/nowhere',
      DEPLOYMENT_SECRET: 'x'.repeat(32),
      ADMIN_SECRET: 'x'.repeat(24),
      PROVIDER_API_KEY: 'sk-test-unused',
    }
    const { code, stderr } = await callCli(['migrate'], env)
    assert.equal(code, 1)
    assert.match(stderr, /^causeway: DATABASE_URL .*nothing listens there \(ECONNREFUSED\)\.\n$/)
  })
})

describe('a port that is taken', () => {
  for (const [variable, other] of [
    ['PORT', 'SANDBOX_PORT'],
    ['SANDBOX_PORT', 'PORT'],
  ] as const) {
    test(`dev names the port and ${variable}, ends with 1 and leaves no database running`, async () => {
      await using home = await stateFolder()
      const holder = createServer().listen(0, '127.0.0.1')
      await new Promise((listening) => holder.once('listening', listening))
      const address = holder.address()
      assert.ok(address && typeof address === 'object')
      const env = { CAUSEWAY_HOME: home.path, [variable]: String(address.port), [other]: '0' }
      const { code, stderr } = await runCli(['dev'], env)
      holder.close()
      assert.equal(code, 1, stderr)
      assert.match(stderr, new RegExp(`^causeway: Port ${address.port} is already in use\\. Set ${variable} `))
      assert.equal(existsSync(`${home.path}/dev.json`), false)
      assert.equal(existsSync(join(dataOf(locate(home.path)), 'postmaster.pid')), false)
    })
  }

  test('dev names both when both are taken', async () => {
    await using home = await stateFolder()
    const holders = [createServer(), createServer()].map((holder) => holder.listen(0, '127.0.0.1'))
    await Promise.all(holders.map((holder) => new Promise((listening) => holder.once('listening', listening))))
    const [port, sandboxPort] = holders.map((holder) => {
      const address = holder.address()
      assert.ok(address && typeof address === 'object')
      return String(address.port)
    })
    const env = { CAUSEWAY_HOME: home.path, PORT: String(port), SANDBOX_PORT: String(sandboxPort) }
    const { code, stderr } = await runCli(['dev'], env)
    for (const holder of holders) holder.close()
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`Port ${port} .*Set PORT .*\nPort ${sandboxPort} .*Set SANDBOX_PORT `))
  })
})

describe('a mistake with --json', { concurrency: 2 }, () => {
  const rows: readonly [args: string, message: RegExp][] = [
    ['--json', /^No command given\. Next: causeway --help$/],
    ['bogus --json', /^unknown command 'bogus'/],
    ['custmers list --json', /^unknown command 'custmers' \(Did you mean customers\?\)$/],
    ['end-users list --nope --json', /^unknown option '--nope'/],
    ['end-users get --json', /^missing required argument 'externalUserId'/],
    ['listen --forward-to 70000 --json', /--forward-to takes a port or a URL/],
  ]
  for (const [args, message] of rows) {
    test(`"causeway ${args}" is one JSON object on standard error, and ends with 2`, async () => {
      const { code, stderr, stdout } = await callCli(args.split(' '))
      assert.deepEqual([code, stdout], [2, ''])
      const { error } = JSON.parse(stderr)
      assert.equal(error.code, 'wrong_use')
      assert.match(error.message.replace('causeway: ', ''), message)
    })
  }
})

describe('output that cannot be written', () => {
  const shell = (command: string): Promise<{ stdout: string; stderr: string }> =>
    run('bash', ['-c', `causeway() { '${process.execPath}' '${entry}' "$@"; }; ${command}`])

  test('a full disk is one line, and ends with 1', { skip: !existsSync('/dev/full') }, async () => {
    const { stdout, stderr } = await shell('causeway commands --json > /dev/full; echo "ended with $?"')
    assert.equal(stdout, 'ended with 1\n')
    assert.match(stderr, /^causeway: The output cannot be written: ENOSPC.*\n$/)
    const silent = await shell('causeway bogus 2> /dev/full; echo "ended with $?"')
    assert.equal(silent.stdout, 'ended with 2\n')
  })

  test('a pipe that its reader closes is no failure', async () => {
    const { stdout, stderr } = await shell(
      'set -o pipefail; causeway commands --json | head -n 1; echo "ended with $?"',
    )
    assert.deepEqual([stdout, stderr], ['[\nended with 0\n', ''])
  })
})
