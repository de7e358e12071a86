// `causeway doctor` on a healthy deployment, and with one fault at a time: it reports each fault with a remedy, and never a
// secret.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { openDatabase } from '../../server/src/platform/postgres/db.ts'
import { parseConfig } from '../../server/src/platform/settings.ts'
import { createProviderClient } from '../../server/src/provider/bridge/client.ts'
import { until } from '../../server/test/caller.ts'
import { databaseLink } from '../../server/test/database-link.ts'
import { solanaWallet } from '../../server/test/people.ts'
import { openReceiver } from '../../server/test/receiver.ts'
import { startRedis } from '../../server/test/redis-server.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import type { Finding } from '../src/doctor/check.ts'
import { checkDatabase } from '../src/doctor/database.ts'
import { checkProvider, type Stored } from '../src/doctor/provider.ts'
import { checkWork } from '../src/doctor/receivers.ts'
import { checkRedis } from '../src/doctor/redis.ts'
import { checkSettings } from '../src/doctor/settings.ts'
import { callCli, runCli } from './process.ts'

let world: World
let link: Awaited<ReturnType<typeof databaseLink>>
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  link = await databaseLink(world.database)
  const { username, password, host, port, database } = link.connection
  env = {
    DATABASE_URL: `postgres://${username}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    DEPLOYMENT_SECRET: world.inside.config.deploymentSecrets.join(','),
    ADMIN_SECRET: world.operator.secret,
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: world.provider.url,
    PROVIDER_API_KEY: world.provider.apiKey,
    PUBLIC_URL: world.url,
    PORT: new URL(world.url).port,
  }
})
after(async () => {
  await link[Symbol.asyncDispose]()
  await world.stop()
})

type Diagnosis = { code: number | null; healthy: boolean; checks: Finding[]; of(check: string): Finding }

async function diagnose(changes: Record<string, string> = {}): Promise<Diagnosis> {
  const given = { ...env, ...changes }
  const { code, stdout, stderr } = await callCli(['doctor', '--json'], given)
  assert.equal(stderr, '')
  for (const name of ['DEPLOYMENT_SECRET', 'ADMIN_SECRET', 'PROVIDER_API_KEY', 'DATABASE_URL'])
    assert.ok(!stdout.includes(given[name] ?? '?'), `${name} is shown`)
  assert.ok(!stdout.includes(link.connection.password), 'the password of the database is shown')
  const { healthy, checks } = JSON.parse(stdout) as Pick<Diagnosis, 'healthy' | 'checks'>
  for (const { state, remedy } of checks) assert.equal(state === 'ok', remedy === undefined)
  const of = (name: string) => checks.find(({ check }) => check === name) ?? assert.fail(`no check of ${name}`)
  return { code, healthy, checks, of }
}

describe('on the command line', () => {
  test('a deployment that is well: one line a check, no problem, and 0', async () => {
    const { code, stdout } = await runCli(['doctor'], env)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^ok {5} {2}provider webhooks +registered, active, signing key known$/m)
    assert.match(stdout, /^ok {5} {2}port +Causeway is running on \d+$/m)
    assert.match(stdout, /\n0 problems, \d+ warnings, \d+ ok\n$/)
    const { healthy } = await diagnose()
    assert.equal(healthy, true)
  })

  test('a configuration that cannot be read: each problem is a line, and 1', async () => {
    const { code, stdout } = await runCli(['doctor'], { ...env, LOG_LEVEL: 'loud', ADMIN_SECRET: 'short-one' })
    assert.equal(code, 1)
    assert.match(stdout, /^problem {2}configuration +LOG_LEVEL /m)
    assert.match(stdout, /^problem {2}configuration +ADMIN_SECRET /m)
    assert.doesNotMatch(stdout, /loud|short-one/)
  })

  test('a database that is away is told, and the provider is looked at all the same', async () => {
    const { code, of } = await diagnose({ DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/none' })
    assert.equal(code, 1)
    assert.equal(of('database').state, 'problem')
    assert.match(of('database').message, /nothing listens there/)
    assert.equal(of('provider').state, 'ok')
  })

  test('a wrong password is told as that', async () => {
    const url = new URL(env['DATABASE_URL'] ?? '')
    url.password = 'hunter2'
    const { of } = await diagnose({ DATABASE_URL: String(url) })
    assert.match(of('database').message, /wrong user name or password/)
  })

  const providerFaults: readonly [what: string, changes: Record<string, string>, says: RegExp][] = [
    ['rejects the API key', { PROVIDER_API_KEY: 'sk-test-of-somebody-else' }, /rejects the API key/],
    ['is away', { PROVIDER_URL: 'http://127.0.0.1:1/v0' }, /cannot be reached/],
  ]
  for (const [what, changes, says] of providerFaults) {
    test(`a provider that ${what} is a problem`, async () => {
      const { code, of } = await diagnose(changes)
      assert.deepEqual([code, of('provider').state], [1, 'problem'])
      assert.match(of('provider').message, says)
    })
  }

  test('events that go to another address than ours are told', async () => {
    const { of } = await diagnose({ PUBLIC_URL: 'https://api.example.com' })
    assert.equal(of('provider webhooks').state, 'warning')
    assert.match(of('provider webhooks').message, /another URL/)
  })

  test('a provider that signs by a key that is not known here is a problem', async () => {
    const { db } = world.inside
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const change = (key: string) => db.transaction((tx) => tx`update provider_webhooks set public_key = ${key}`)
    const [row] = await db.read((query) => query<{ publicKey: string }[]>`select public_key from provider_webhooks`)
    await change(pem)
    const { of, code } = await diagnose()
    await change(row?.publicKey ?? '')
    assert.deepEqual([code, of('provider webhooks').state], [1, 'problem'])
    assert.match(of('provider webhooks').message, /signs with an unknown key/)
  })

  test('a webhook that would not send deposit events is a problem', async () => {
    const { providerUrl, providerApiKey = '' } = world.inside.config
    const provider = createProviderClient({ baseUrl: providerUrl, apiKey: providerApiKey })
    const [webhook] = await provider.listWebhooks()
    const change = (eventCategories: string[]) => provider.updateWebhook(webhook?.id ?? '', { eventCategories })
    await change(['customer', 'kyc_link'])
    const { of, code } = await diagnose()
    await change([])
    assert.deepEqual([code, of('provider webhooks').state], [1, 'problem'])
    assert.match(
      of('provider webhooks').message,
      /no events of virtual_account\.activity, rfi\. Causeway sees deposits late/,
    )
    assert.equal((await diagnose()).of('provider webhooks').state, 'ok')
    await provider.close()
  })

  test('where neither the database nor PUBLIC_URL tells which webhook is ours, it says that it cannot tell', async () => {
    const { provider, config } = world.inside
    const of = (found: Finding[]) => found.find(({ check }) => check === 'provider webhooks')
    const untold = of(await checkProvider(provider, { ...config, publicUrl: undefined }, null, Date.now))
    assert.deepEqual([untold?.state, /^Not checked: which webhook/.test(untold?.message ?? '')], ['warning', true])
    const atAnother = { ...config, publicUrl: 'https://api.example.com', providerWebhookSignature: 'required' } as const
    const connectedElsewhere = of(await checkProvider(provider, atAnother, null, Date.now))
    assert.match(connectedElsewhere?.message ?? '', /^Not checked: which webhook/)
    assert.equal(connectedElsewhere?.state, 'warning')
    const unknownKey = of(await checkProvider(provider, { ...config, publicUrl: world.url }, null, Date.now))
    assert.deepEqual(
      [unknownKey?.state, /^Not checked: whether the signing key/.test(unknownKey?.message ?? '')],
      ['warning', true],
    )
  })

  test('where a person registers the webhook, a key must be configured, and an event must have arrived', async () => {
    const { provider, config } = world.inside
    const byHand = { ping: provider.ping, endpoints: null }
    const [key, lastEventAt] = [['a key'], new Date(Date.now() - 180_000)]
    const look = async (keys: string[] | undefined, stored: Stored | null) => {
      const found = await checkProvider(byHand, { ...config, providerWebhookPublicKeys: keys }, stored, Date.now)
      const finding = found.find(({ check }) => check === 'provider webhooks')
      return `${finding?.state}: ${finding?.message} ${finding?.remedy ?? ''}`
    }
    assert.match(
      await look(undefined, { webhooks: [], lastEventAt }),
      /^problem: .*dashboard.*PROVIDER_WEBHOOK_PUBLIC_KEYS/,
    )
    assert.match(await look(key, { webhooks: [], lastEventAt: null }), /^warning: .* came from the provider\. Register/)
    assert.match(await look(key, null), /^warning: Not checked: whether events arrive/)
    assert.match(await look(key, { webhooks: [], lastEventAt }), /^ok: .* 3 min ago/)
  })

  test('a response that cannot be read is named, and so is the operation that waits for it', async () => {
    const user = await world.business.user('approved')
    await world.provider.fails({ mode: 'unreadable', path: '/virtual_accounts', times: 1_000 })
    await world.provider.fails({ mode: 'unreadable', path: '^/v0/webhooks$', times: 1_000 })
    const body = { externalUserId: user, source: { currency: 'usd' }, destination: solanaWallet }
    assert.equal((await world.business.call('POST', '/v0/virtual-accounts', body)).status, 500)
    const { of, code } = await diagnose()
    await world.provider.recovers()
    assert.deepEqual([code, of('provider').state, of('unknown outcomes').state], [1, 'problem', 'problem'])
    assert.match(of('provider').message, /its response cannot be read/)
    assert.match(of('unknown outcomes').message, /provider_response_unreadable.*virtual_account\.create op_/)
  })

  test('where no webhook of ours is registered, it is a problem once signatures are required', async () => {
    const { db } = world.inside
    const kept = await db.read((query) => query`select * from provider_webhooks`)
    await db.transaction((tx) => tx`delete from provider_webhooks`)
    const changes = { PUBLIC_URL: 'https://api.example.com' }
    assert.equal((await diagnose(changes)).of('provider webhooks').state, 'warning')
    const required = await diagnose({ ...changes, PROVIDER_WEBHOOK_SIGNATURE: 'required' })
    for (const row of kept)
      await db.transaction(
        (tx) =>
          tx`insert into provider_webhooks (provider, id, url, public_key)
            values ('bridge', ${row['id']}, ${row['url']}, ${row['publicKey']})`,
      )
    assert.equal(required.of('provider webhooks').state, 'problem')
  })
})

describe('settings', () => {
  const random = () => randomBytes(32).toString('base64')
  const good = {
    CAUSEWAY_MODE: 'live',
    PORT: '0',
    PUBLIC_URL: 'https://api.example.com',
    TRUST_PROXY: 'true',
    DATABASE_URL: 'postgres://c:x@db.internal/causeway?sslmode=verify-full',
    DEPLOYMENT_SECRET: random(),
    ADMIN_SECRET: random(),
    PROVIDER_URL: 'https://api.bridge.xyz/v0',
    PROVIDER_API_KEY: 'sk-live-x',
  }
  const faultsOf = async (changes: Record<string, string>) =>
    (await checkSettings(parseConfig({ ...good, ...changes }))).filter(({ state }) => state !== 'ok')

  test('good ones have no fault; of many random secrets none is called weak', async () => {
    assert.deepEqual(await faultsOf({}), [])
    for (let turn = 0; turn < 200; turn++) {
      const seed = createHash('sha256').update(String(turn)).digest()
      for (const DEPLOYMENT_SECRET of [seed.toString('base64url'), seed.toString('hex')])
        assert.deepEqual(await faultsOf({ DEPLOYMENT_SECRET }), [])
    }
  })

  const same = random()
  // Live mode does not start with these at all.
  const staging = { CAUSEWAY_MODE: 'sandbox', PROVIDER_URL: 'https://api.sandbox.bridge.xyz/v0' }
  const faults: readonly [changes: Record<string, string>, check: string, state: string][] = [
    [{ ...staging, DEPLOYMENT_SECRET: 'a'.repeat(40) }, 'deployment secret', 'problem'],
    [{ ...staging, DEPLOYMENT_SECRET: 'change-me-please-before-you-go-live-now' }, 'deployment secret', 'problem'],
    [{ DEPLOYMENT_SECRET: `${random()},${'ab'.repeat(20)}` }, 'deployment secret', 'warning'],
    [{ ...staging, ADMIN_SECRET: 'correct-password-of-the-admin' }, 'admin secret', 'problem'],
    [{ ADMIN_SECRET: same, DEPLOYMENT_SECRET: same }, 'admin secret', 'problem'],
    [{ PUBLIC_URL: 'http://api.example.com' }, 'public URL', 'problem'],
    [{ PUBLIC_URL: 'https://localhost' }, 'public URL', 'problem'],
    [{ TRUST_PROXY: 'false' }, 'public URL', 'warning'],
    [{ PROVIDER_URL: 'https://api.sandbox.bridge.xyz/v0' }, 'provider URL', 'problem'],
    [{ CAUSEWAY_MODE: 'sandbox' }, 'provider URL', 'warning'],
    [{ DATABASE_URL: 'postgres://c:x@db.internal/causeway' }, 'database URL', 'problem'],
    [{ DATABASE_URL: '' }, 'database URL', 'warning'],
    [{ DATABASE_URL: 'postgres://c:x@localhost:1,db.internal:2/causeway' }, 'database URL', 'problem'],
    [{ DATABASE_URL: 'postgres://c:x@a,b/causeway?sslmode=verify-full' }, 'database URL', 'warning'],
  ]
  for (const [changes, check, state] of faults) {
    test(`${JSON.stringify(changes).slice(0, 60)} is a ${state} of the ${check}`, async () => {
      const found = await faultsOf(changes)
      assert.deepEqual(
        found.map((finding) => [finding.check, finding.state]),
        [[check, state]],
      )
    })
  }

  test('a port that something else holds is a problem', async () => {
    const other = createServer((socket) => socket.destroy())
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const { port } = other.address() as { port: number }
    const found = await faultsOf({ PORT: String(port) })
    await new Promise((done) => other.close(done))
    assert.deepEqual(
      found.map(({ check, state }) => [check, state]),
      [['port', 'problem']],
    )
  })
})

describe('the database', () => {
  const findings = async (
    changes: Record<string, string> = {},
    now = () => Date.now(),
    user?: { username: string },
  ) => {
    const db = openDatabase({ ...world.database, ...user }, { poolMax: 3 })
    try {
      return await checkDatabase(db, null, parseConfig({ ...env, ...changes }), now)
    } finally {
      await db.close()
    }
  }
  const stateOf = (found: readonly Finding[], check: string) => found.find((finding) => finding.check === check)?.state

  test('a clock that is off is a warning, then a problem', async () => {
    assert.equal(stateOf(await findings(), 'clock'), 'ok')
    assert.equal(stateOf(await findings({}, () => Date.now() + 10_000), 'clock'), 'warning')
    assert.equal(stateOf(await findings({}, () => Date.now() - 600_000), 'clock'), 'problem')
  })

  test('too few connections for a process are a problem', async () => {
    assert.equal(stateOf(await findings({ DATABASE_POOL_MAX: '500' }), 'database connections'), 'problem')
  })

  test('durability that is switched off is a problem in live mode', async () => {
    // The databases of the tests are without: that is what makes them quick.
    const [{ fsync } = { fsync: '' }] = await world.rows<{ fsync: string }>`select current_setting('fsync') as fsync`
    const [DEPLOYMENT_SECRET, ADMIN_SECRET] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    const address = { PUBLIC_URL: 'https://api.example.com' }
    const live = { CAUSEWAY_MODE: 'live', PROVIDER_KIND: 'bridge', DEPLOYMENT_SECRET, ADMIN_SECRET, ...address }
    assert.equal(stateOf(await findings(live), 'database durability'), fsync === 'off' ? 'problem' : 'ok')
  })

  test('migrations that are missing, or newer than ours, are told', async () => {
    const { db } = world.inside
    const [last] = await db.transaction(
      (tx) => tx<{ version: number; name: string; breaking: boolean; digest: string }[]>`
        delete from schema_migrations where version = (select max(version) from schema_migrations)
        returning version, name, breaking, digest`,
    )
    assert.ok(last)
    assert.equal(stateOf(await findings(), 'schema'), 'warning')
    const put = (version: number, name: string, breaking: boolean, digest = 'x') =>
      db.transaction(
        (tx) =>
          tx`insert into schema_migrations (version, name, breaking, digest) values (${version}, ${name}, ${breaking}, ${digest})`,
      )
    await put(last.version, last.name, last.breaking)
    assert.equal(stateOf(await findings(), 'schema'), 'problem', 'another text')
    await db.transaction((tx) => tx`delete from schema_migrations where version = ${last.version}`)
    await put(last.version, last.name, last.breaking, last.digest)
    await put(9990, '9990_later.sql', false)
    assert.equal(stateOf(await findings(), 'schema'), 'warning')
    await put(9991, '9991_later.breaking.sql', true)
    assert.equal(stateOf(await findings(), 'schema'), 'problem')
    await db.transaction((tx) => tx`delete from schema_migrations where version >= 9990`)
    assert.equal(stateOf(await findings(), 'schema'), 'ok')
  })

  test('a user without rights on the tables, and a read-only database, are problems', async () => {
    const { db } = world.inside
    const role = `reader_${randomBytes(4).toString('hex')}`
    await db.transaction((tx) => tx.unsafe(`create role ${role} login password '${world.database.password}'`))
    try {
      const found = await findings({}, () => Date.now(), { username: role })
      assert.equal(stateOf(found, 'database permissions'), 'problem')
      await db.transaction((tx) => tx.unsafe(`alter role ${role} set default_transaction_read_only = on`))
      assert.equal(stateOf(await findings({}, () => Date.now(), { username: role }), 'database writes'), 'problem')
    } finally {
      await db.transaction((tx) => tx.unsafe(`drop role ${role}`))
    }
  })

  test('deliveries that wait for long, and endpoints that fail or are disabled, are warnings', async () => {
    const { db } = world.inside
    await using receiver = await openReceiver(() => 500)
    const set = await world.business.call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
    assert.equal(set.status, 200)
    await world.business.user()
    await until('a failed attempt', async () => {
      const retrying = await world.business.call('GET', '/v0/deliveries?status=retrying')
      return retrying.body.data.length > 0
    })
    assert.equal(stateOf(await checkWork(db), 'deliveries'), 'ok')
    await db.transaction((tx) => tx`update deliveries set created_at = now() - interval '1 hour'`)
    await db.transaction((tx) => tx`update endpoint_lanes set failures = 10`)
    const found = await checkWork(db)
    assert.equal(stateOf(found, 'deliveries'), 'warning')
    assert.match(found.find(({ check }) => check === 'deliveries')?.message ?? '', /the oldest for 60 min/)
    assert.equal(stateOf(found, 'webhook endpoints'), 'warning')
  })
})

describe('redis', () => {
  const expectProblem = async (url: string, told: RegExp) => {
    const [finding] = await checkRedis(url)
    assert.equal(finding?.state, 'problem')
    assert.match(finding.message, told)
    assert.doesNotMatch(JSON.stringify(finding), /hunter2/)
  }

  test('not set: nothing is said', async () => assert.deepEqual(await checkRedis(undefined), []))

  test('one that lets us in, one that does not, one that is stopped', { skip: lacking('redis') }, async () => {
    await using redis = await startRedis('--requirepass', 'hunter2')
    const { host } = new URL(redis.url)
    assert.equal((await checkRedis(`redis://:hunter2@${host}`))[0]?.state, 'ok')
    await expectProblem(`redis://:hunter23@${host}`, /WRONGPASS/)
    await expectProblem(redis.url, /NOAUTH/)
    redis.freeze()
    await expectProblem(`redis://:hunter2@${host}`, /no response|TIMEOUT/i)
    redis.thaw()
  })

  test('something else that answers', async () => {
    const server = createServer((socket) =>
      socket.on('data', () => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')).on('error', () => {}),
    )
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    await expectProblem(`redis://:hunter2@127.0.0.1:${port}`, /no response/)
    server.close()
  })

  test('away or misspelt', async () => {
    await expectProblem('redis://:hunter2@127.0.0.1:1', /ECONNREFUSED/)
    await expectProblem(
      'redis+sentinel://:hunter2@127.0.0.1:1/m?sentinel_password=hunter2',
      /no Sentinel in REDIS_URL responds/,
    )
    for (const url of [
      'http://:hunter2@127.0.0.1',
      'hunter2',
      'redis://:hunter2@127.0.0.1:99999',
      'redis+sentinel://:hunter2@h',
    ])
      await expectProblem(url, /REDIS_URL is not valid/)
  })
})
