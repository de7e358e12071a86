// `causeway doctor` for a server and for a receiver: each fault is reported with a remedy.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { verify } from '../../sdk/src/webhooks/verify.ts'
import { version } from '../../server/src/platform/version.ts'
import { openReceiver } from '../../server/test/receiver.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import type { Finding } from '../src/doctor/check.ts'
import { checkEndpoint } from '../src/doctor/endpoint.ts'
import { checkServer } from '../src/doctor/server.ts'
import { callCli, runCli } from './process.ts'

// Made for this test, for the name localhost, good for a century:
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=localhost
//   -addext subjectAltName=DNS:localhost
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg20lV9M1dji2ZrukE
ZhxeOfzqYY00we9lrQ6bFfVQYmmhRANCAARN42ctKvJbPDuz7faUOLPeU59UpR5m
H0MFBpPC8b2edbmBM64lPGgMIwGQ4PRRd8Qc2AMc4y623hud4M5kuRJf
-----END PRIVATE KEY-----`
const certificate = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUBGM1X5I41dl+71DvWUT7dYq1KYswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzA4MjkwMFoYDzIxMjYxMDMw
MDgyOTAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARN42ctKvJbPDuz7faUOLPeU59UpR5mH0MFBpPC8b2edbmBM64lPGgM
IwGQ4PRRd8Qc2AMc4y623hud4M5kuRJfo2kwZzAdBgNVHQ4EFgQUQ3sXTzHe2cyn
dexHSrlyK6Lm/BQwHwYDVR0jBBgwFoAUQ3sXTzHe2cyndexHSrlyK6Lm/BQwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAJ2uuwvApo1Y/46XTDmD/IYqFKLsVQYlP0gfXZ8PcOaPAiBPb2mMk6Uy
tlfQdez9GVhx93adpqqVtr4kYZfetYXUCQ==
-----END CERTIFICATE-----`

const secret = 'whsec_Zm9yIHRoZSBkb2N0b3Igb2YgdGhlIHRlc3RzIG9ubHk='
const now = (): number => Date.now()

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-doctor-'))
})
after(() => rm(folder, { recursive: true }))

const statesOf = (found: readonly Finding[]) => Object.fromEntries(found.map(({ check, state }) => [check, state]))
const of = (found: readonly Finding[], name: string): Finding =>
  found.find(({ check }) => check === name) ?? assert.fail(`no check of ${name}: ${JSON.stringify(found)}`)

/** Verifies a webhook. @returns the status that the receiver returns */
async function judge({ headers, body }: { headers: object; body: Buffer }): Promise<number> {
  try {
    await verify(body, headers as Record<string, string>, secret)
    return 200
  } catch {
    return 401
  }
}

/** A receiver as an integrator writes it, by the SDK. */
const openVerifier = () =>
  openReceiver((received) => (_request, response) => {
    void judge(received).then((status) => response.writeHead(status).end())
  })

describe('an endpoint', () => {
  test('one that verifies is well: the signed event is taken, what is not signed right is refused; four events in all', async () => {
    await using receiver = await openVerifier()
    const args = ['doctor', '--endpoint', receiver.url, '--json']
    const { code, stdout, stderr } = await callCli(args, { HOME: folder, CAUSEWAY_SIGNING_SECRET: secret })
    const { healthy, checks } = JSON.parse(stdout)
    assert.deepEqual([code, stderr, healthy], [0, '', true], stdout)
    assert.deepEqual(statesOf(checks), {
      URL: 'warning',
      receiver: 'ok',
      'signed event': 'ok',
      'response time': 'ok',
      'unsigned request': 'ok',
      'forged signature': 'ok',
      'old signature': 'ok',
    })
    assert.ok(!stdout.includes(secret))
    assert.equal(receiver.seen.length, 4)
    for (const { body } of receiver.seen) assert.equal(JSON.parse(String(body)).test, true)
  })

  test('one that takes everything is a problem: anybody can make up events', async () => {
    await using receiver = await openReceiver()
    const { code, stdout } = await callCli(['doctor', '--endpoint', receiver.url], { HOME: folder })
    assert.equal(code, 1)
    assert.match(stdout, /^problem {2}unsigned request +Accepted \(200\): anyone can send forged events\. Verify /m)
    assert.match(stdout, /^problem {2}forged signature /m)
    assert.match(stdout, /^warning {2}old signature /m)
    assert.match(stdout, /\n2 problems, 2 warnings, 3 ok\n$/)
  })

  test('one with another secret refuses the signed event, and is told to look at it', async () => {
    await using receiver = await openVerifier()
    const found = await checkEndpoint(receiver.url, 'whsec_YW5vdGhlciBzZWNyZXQgZm9yIHRoaXMgdGVzdA==', now)
    assert.equal(of(found, 'signed event').state, 'problem')
    assert.match(of(found, 'signed event').remedy ?? '', /signing secret.*causeway verify/)
    for (const check of ['unsigned request', 'forged signature', 'old signature'])
      assert.match(of(found, check).message, /^Not checked/, 'who refuses everything shows nothing by it')
  })

  for (const [status, says] of [
    [302, /does not follow redirects/],
    [404, /Check the path/],
    [500, /log of the receiver/],
  ] as const) {
    test(`a signed event that is answered ${status} is a problem with its own remedy`, async () => {
      await using receiver = await openReceiver(() => status)
      const found = await checkEndpoint(receiver.url, secret, now)
      assert.equal(of(found, 'signed event').state, 'problem')
      assert.match(of(found, 'signed event').remedy ?? '', says)
    })
  }

  test('one that takes long to answer is a warning', async () => {
    await using receiver = await openVerifier()
    assert.equal(of(await checkEndpoint(receiver.url, secret, now, 0), 'response time').state, 'warning')
  })

  test('one that is not there, or whose name is not known, is a problem, and nothing else is said', async () => {
    await using receiver = await openReceiver()
    const { url } = receiver
    await receiver[Symbol.asyncDispose]()
    for (const [address, says] of [
      [url, /nothing listens there \(ECONNREFUSED\)/],
      ['http://receiver.invalid/', /the (host is unknown|DNS lookup failed)/],
    ] as const) {
      const found = await checkEndpoint(address, secret, now)
      assert.equal(found.length, 2)
      assert.match(of(found, 'receiver').message, says)
    }
  })

  test('its certificate is looked at: one that no authority signed is a problem, one that is trusted is not', async () => {
    const server = createTlsServer({ key, cert: certificate }, (request, response) =>
      request.resume().on('end', () => response.writeHead(401).end()),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `https://localhost:${(server.address() as AddressInfo).port}/hook`
    const found = await checkEndpoint(address, secret, now)
    assert.match(of(found, 'certificate').message, /is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/)
    assert.equal(of(found, 'certificate').state, 'problem')

    const authority = join(folder, 'authority.pem')
    await writeFile(authority, certificate)
    const env = { HOME: folder, NODE_EXTRA_CA_CERTS: authority }
    const { stdout } = await runCli(['doctor', '--endpoint', address, '--json'], env)
    server.close()
    const { checks } = JSON.parse(stdout)
    assert.match(of(checks, 'certificate').message, /^valid for \d+ days$/)
    assert.match(of(checks, 'forged signature').message, /^Not checked/, 'the server refuses everything')
  })

  test('what is no address is wrong use', async () => {
    assert.equal((await callCli(['doctor', '--endpoint', 'http:///hooks'], { HOME: folder })).code, 2)
  })
})

describe('a server', () => {
  let world: World
  before(async () => {
    world = await openWorld({ alone: true })
  })
  after(() => world.stop())

  test('one that is well: ready, of this version, its clock, its provider and our key', async () => {
    const { url: baseUrl } = world
    const { apiKey } = world.business
    await world.business.call('POST', '/v0/end-users', { externalUserId: 'ada', email: 'ada@example.com' })
    await world.business.call('POST', '/v0/end-users/ada/tos-link') // a call to the provider
    const env = { HOME: folder, CAUSEWAY_HOME: folder, CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey }
    const { code, stdout } = await callCli(['doctor', '--json'], env)
    const { checks } = JSON.parse(stdout)
    assert.equal(code, 0, stdout)
    assert.deepEqual(statesOf(checks), {
      server: 'ok',
      clocks: 'ok',
      versions: 'ok',
      'provider calls': 'ok',
      'api key': 'ok',
    })
    assert.ok(!stdout.includes(apiKey))
  })

  test('a key that it refuses, and a clock that is off, are problems', async () => {
    const { url: baseUrl } = world
    const found = await checkServer({ baseUrl, apiKey: 'svc_test_wrong' }, () => Date.now() + 3_600_000)
    assert.deepEqual([of(found, 'api key').state, of(found, 'clocks').state], ['problem', 'problem'])
    assert.equal(of(await checkServer({ baseUrl, apiKey: null }, () => Date.now() - 30_000), 'clocks').state, 'warning')
  })

  test('one that is away, is something else, or ends, is a problem', async () => {
    assert.match(
      of(await checkServer({ baseUrl: 'http://127.0.0.1:9', apiKey: null }, now), 'server').message,
      /No response from/,
    )
    await using other = await openReceiver()
    const { origin } = new URL(other.url)
    assert.match(of(await checkServer({ baseUrl: origin, apiKey: null }, now), 'server').message, /is not Causeway/)
    const error = { code: 'shutting_down', message: 'It ends.', resolution: 'Ask another.' }
    other.reply = ({ path }) =>
      path === '/readyz'
        ? { status: 503, body: JSON.stringify({ error }) }
        : {
            status: 200,
            body: 'causeway_build_info{version="9.9.9",node="v24"} 1\ncauseway_upstream_call_duration_seconds_count{operation="x",outcome="unauthorized"} 3\n',
          }
    const found = await checkServer({ baseUrl: origin, apiKey: null }, now)
    assert.match(of(found, 'server').message, /shutting_down/)
    assert.deepEqual([of(found, 'versions').state, of(found, 'provider calls').state], ['warning', 'warning'])
  })

  test('one with a METRICS_TOKEN is checked with the token, and without the token says what was not checked', async () => {
    await using guarded = await openReceiver()
    const { origin } = new URL(guarded.url)
    guarded.reply = ({ headers }) =>
      headers['authorization'] === 'Bearer the-token'
        ? { status: 200, body: `causeway_build_info{version="${version}"} 1\n` }
        : { status: 401 }
    const [without, with_] = await Promise.all([
      checkServer({ baseUrl: origin, apiKey: null }, now),
      checkServer({ baseUrl: origin, apiKey: null, metricsToken: 'the-token' }, now),
    ])
    assert.match(of(without, 'versions').message, /^Not checked/)
    assert.equal(of(with_, 'versions').state, 'ok')
  })
})
