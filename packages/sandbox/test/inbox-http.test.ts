// The inbox over HTTP: what it records, returns and refuses, its limits, and the verification of signatures.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { judge, readSecret, type SignedDelivery, type Verdict } from '../src/inbox/signature.ts'
import { deliver, newSecret } from './inbox-fixture.ts'
import { property } from './pages-fixture.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const deadlineMs = 5000

describe('the webhook inbox', () => {
  let sandbox: Sandbox
  let inboxCount = 0
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox[Symbol.asyncDispose]())

  const openInbox = (given?: string) => {
    inboxCount += 1
    const name = given ?? `inbox-${inboxCount}`
    return {
      address: `${sandbox.url}/inbox/${name}`,
      set: (settings: unknown) => sandbox.inbox('PUT', `/${name}/settings`, { body: settings }),
      clear: () => sandbox.inbox('DELETE', `/${name}/messages`),
      list: async () => (await sandbox.inbox('GET', `/${name}/messages`)).body,
      messages: async (): Promise<unknown[]> => {
        const data = property((await sandbox.inbox('GET', `/${name}/messages`)).body, 'data')
        assert.ok(Array.isArray(data))
        return data
      },
    }
  }
  const all = (messages: unknown[], name: string): unknown[] => messages.map((message) => property(message, name))

  test('records a delivery with everything the sender said, newest first', async () => {
    const inbox = openInbox()
    const secret = newSecret()
    await inbox.set({ secrets: [secret] })
    await deliver(inbox.address, { id: 'msg_1', secret })
    const headers = {
      'svc-event-type': 'end_user.created',
      'svc-external-user-id': 'user-42',
      'svc-sequence': '7',
      'svc-attempt': '2',
    }
    assert.equal(await deliver(inbox.address, { id: 'msg_2', secret, headers, body: '{ "é":  1 }' }), 200)
    const [newest, older] = await inbox.messages()
    assert.deepEqual(
      ['id', 'eventType', 'externalUserId', 'sequence', 'attempt', 'verified', 'duplicate', 'status', 'body'].map(
        (name) => property(newest, name),
      ),
      ['msg_2', 'end_user.created', 'user-42', 7, 2, true, false, 200, '{ "é":  1 }'],
    )
    assert.equal(property(property(newest, 'headers'), 'svc-sequence'), '7')
    assert.ok(Math.abs(Date.parse(String(property(newest, 'receivedAt'))) - Date.now()) < 60_000)
    assert.equal(property(older, 'id'), 'msg_1')
  })

  test('each endpoint that points at an inbox is verified by its own secret, also by one that became known later', async () => {
    const inbox = openInbox()
    const [first, second, later] = [newSecret(), newSecret(), newSecret()]
    await inbox.set({ secrets: [first, second] })
    for (const secret of [first, second, later, newSecret()])
      await deliver(inbox.address, { id: 'msg_1', secret, body: '{ "é":  1 }' })
    const verdicts = async () => all((await inbox.messages()).reverse(), 'verdict')
    assert.deepEqual(await verdicts(), ['valid', 'valid', 'signature_mismatch', 'signature_mismatch'])
    assert.equal(property((await inbox.set({ addSecret: later })).body, 'secretCount'), 3)
    assert.equal(property((await inbox.set({ addSecret: later })).body, 'secretCount'), 3, 'it is known already')
    assert.deepEqual(await verdicts(), ['valid', 'valid', 'valid', 'signature_mismatch'])
  })

  test('verified is true, false, or null without a secret', async () => {
    const inbox = openInbox()
    const secret = newSecret()
    await deliver(inbox.address)
    assert.deepEqual(all(await inbox.messages(), 'verified'), [null])
    await inbox.set({ secrets: [secret] })
    await deliver(inbox.address, { secret })
    await deliver(inbox.address, { secret: newSecret() })
    await deliver(inbox.address)
    await deliver(inbox.address, { secret, sentAt: new Date(Date.now() - 310_000) })
    await deliver(inbox.address, { secret, sentAt: new Date(Date.now() - 280_000) })
    const messages = (await inbox.messages()).reverse()
    assert.deepEqual(all(messages, 'verified'), [false, true, false, false, false, true])
    assert.deepEqual(all(messages, 'verdict'), [
      'headers_missing',
      'valid',
      'signature_mismatch',
      'headers_missing',
      'timestamp_outside_tolerance',
      'valid',
    ])
  })

  test('a repeat is a duplicate once the first was answered with 2xx, and no forgery can make it one', async () => {
    const inbox = openInbox()
    const secret = newSecret()
    await inbox.set({ secrets: [secret], failNext: 2 })
    await deliver(inbox.address, { id: 'msg_1', secret })
    await deliver(inbox.address, { id: 'msg_1', secret: newSecret() })
    await deliver(inbox.address, { id: 'msg_1', secret: newSecret() })
    await deliver(inbox.address, { id: 'msg_1', secret })
    await deliver(inbox.address, { id: 'msg_1', secret })
    const messages = (await inbox.messages()).reverse()
    assert.deepEqual(all(messages, 'status'), [500, 500, 200, 200, 200])
    assert.deepEqual(all(messages, 'duplicate'), [false, false, false, false, true])
  })

  test('answers as it is told: a fixed status, then 500 for a while, then the fixed status again', async () => {
    const inbox = openInbox()
    for (const respondWith of [204, 302, 410, 500, 503, 599]) {
      assert.equal((await inbox.set({ respondWith })).status, 200)
      assert.equal(await deliver(inbox.address), respondWith)
    }
    await inbox.set({ respondWith: 202, failNext: 2 })
    assert.deepEqual(
      [await deliver(inbox.address), await deliver(inbox.address), await deliver(inbox.address)],
      [500, 500, 202],
    )
  })

  test('a delayed answer comes late; when the sender gives up first, no answer is recorded', async () => {
    const inbox = openInbox()
    await inbox.set({ delayMs: 150 })
    const startedAt = performance.now()
    assert.equal(await deliver(inbox.address), 200)
    assert.ok(performance.now() - startedAt >= 145)

    await inbox.set({ delayMs: 60_000 })
    const impatient = new AbortController()
    const given = assert.rejects(deliver(inbox.address, { signal: impatient.signal }))
    const endsAt = Date.now() + deadlineMs
    while ((await inbox.messages()).length < 2) assert.ok(Date.now() < endsAt, 'the waiting delivery is listed')
    impatient.abort()
    await given
    assert.equal(property((await inbox.messages())[0], 'status'), null)
  })

  test('takes any content type, none, and an empty body, and keeps the text as it came', async () => {
    const inbox = openInbox()
    const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer> | null) =>
      fetch(inbox.address, { method: 'POST', headers, body })
    assert.equal((await post({ 'content-type': 'text/plain' }, 'hello')).status, 200)
    assert.equal((await post({ 'content-type': 'application/json' }, '{"__proto__":1')).status, 200)
    assert.equal((await post({}, new Uint8Array([0x61, 0xff]))).status, 200)
    assert.equal((await post({}, null)).status, 200)
    assert.deepEqual(all(await inbox.messages(), 'body'), ['', 'a\ufffd', '{"__proto__":1', 'hello'])
  })

  test('keeps 64 KiB of a larger body, verifies all of it, and refuses what is beyond 2 MiB', async () => {
    const inbox = openInbox()
    const secret = newSecret()
    await inbox.set({ secrets: [secret] })
    await deliver(inbox.address, { secret, body: 'x'.repeat(65_536) })
    await deliver(inbox.address, { secret, body: 'x'.repeat(1_000_000) })
    assert.equal(await deliver(inbox.address, { secret, body: 'x'.repeat(2 * 1024 * 1024 + 1) }), 413)
    const messages = await inbox.messages()
    assert.deepEqual(all(messages, 'truncated'), [true, false])
    assert.deepEqual(all(messages, 'verified'), [true, true])
    assert.deepEqual(all(messages, 'bodyBytes'), [1_000_000, 65_536])
    assert.deepEqual(
      all(messages, 'body').map((body) => String(body).length),
      [65_536, 65_536],
    )
  })

  test('keeps the newest 500 messages of a name, and at most 4 MiB of bodies', async () => {
    const many = openInbox()
    for (let sent = 0; sent < 510; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => deliver(many.address)))
    }
    await deliver(many.address, { headers: { 'svc-sequence': '511' } })
    const messages = await many.messages()
    assert.equal(messages.length, 500)
    assert.equal(property(messages[0], 'sequence'), 511)

    const large = openInbox()
    for (let sent = 0; sent < 70; sent += 1) await deliver(large.address, { body: 'x'.repeat(65_536) })
    assert.equal((await large.messages()).length, 64)
  })

  test('clearing forgets messages and ids but keeps the settings', async () => {
    const inbox = openInbox()
    await inbox.set({ respondWith: 202 })
    await deliver(inbox.address, { headers: { 'webhook-id': 'msg_1' } })
    assert.equal((await inbox.clear()).status, 204)
    assert.deepEqual(await inbox.messages(), [])
    assert.equal(await deliver(inbox.address, { headers: { 'webhook-id': 'msg_1' } }), 202)
    assert.deepEqual(all(await inbox.messages(), 'duplicate'), [false])
  })

  test('settings are changed in part, refused by name, and never show the secret', async () => {
    const inbox = openInbox()
    const secret = newSecret()
    await inbox.set({ secrets: [secret], respondWith: 503 })
    const { body } = await inbox.set({ failNext: 1 })
    assert.deepEqual(body, { secretCount: 1, respondWith: 503, delayMs: 0, failNext: 1 })
    assert.ok(!JSON.stringify(await inbox.list()).includes(secret.slice(6)))
    assert.ok(!(await (await fetch(inbox.address)).text()).includes(secret.slice(6)))
    const bad = [
      { secrets: ['whsec_'] },
      { secrets: secret },
      { secrets: Array.from({ length: 51 }, newSecret) },
      { addSecret: 7 },
      { respondWith: 99 },
      { respondWith: 600 },
      { respondWith: '200' },
      { respondWith: 200.5 },
      { delayMs: -1 },
      { delayMs: 60_001 },
      { failNext: 1001 },
      { failNext: null },
      { colour: 'red' },
      JSON.parse('{"constructor":1}'),
      [],
      7,
      null,
    ]
    for (const settings of bad) {
      const refused = await inbox.set(settings)
      assert.equal(refused.status, 400, JSON.stringify(settings))
      assert.ok(typeof property(refused.body, 'message') === 'string')
    }
    assert.deepEqual((await inbox.set({})).body, body)
    assert.equal(property((await inbox.set({ secrets: [] })).body, 'secretCount'), 0)
  })

  test('an unchanged list costs no body: the same ETag is answered with 304 until something happens', async () => {
    const inbox = openInbox()
    const read = (etag = '') => fetch(`${inbox.address}/messages`, { headers: { 'if-none-match': etag } })
    const etag = (await read()).headers.get('etag') ?? ''
    assert.equal((await read(etag)).status, 304)
    await deliver(inbox.address)
    assert.equal((await read(etag)).status, 200)
  })

  test('limit gives the newest, and a limit that is none gives all', async () => {
    const inbox = openInbox()
    for (let sent = 0; sent < 3; sent += 1) await deliver(inbox.address)
    for (const [limit, expected] of [
      ['1', 1],
      ['2', 2],
      ['0', 3],
      ['x', 3],
      ['501', 3],
    ] as const) {
      const response = await fetch(`${inbox.address}/messages?limit=${limit}`)
      const body: unknown = await response.json()
      assert.equal(property(property(body, 'data'), 'length'), expected)
      assert.equal(property(body, 'count'), 3)
    }
  })

  test('names are 1 to 64 letters, digits, hyphens and underscores; others do not exist', async () => {
    for (const name of ['a', 'A-b_9', 'n'.repeat(64)]) {
      assert.equal(await deliver(`${sandbox.url}/inbox/${name}`), 200)
      assert.equal((await fetch(`${sandbox.url}/inbox/${name}/messages`)).status, 200)
    }
    for (const name of ['n'.repeat(65), 'a%20b', 'a.b', '%3Cb%3E', 'ä', '..%2fx', '']) {
      assert.equal(await deliver(`${sandbox.url}/inbox/${name}`), 404, name)
    }
  })

  test('more than 100 names push out the one unused for longest', async () => {
    await using crowded = await startSandbox()
    for (let name = 0; name < 101; name += 1) await deliver(`${crowded.url}/inbox/n${name}`)
    const count = async (name: string) => property((await crowded.inbox('GET', `/${name}/messages`)).body, 'count')
    assert.deepEqual([await count('n0'), await count('n1'), await count('n100')], [0, 1, 1])
  })

  test('a delivery that waits for its answer does not keep the sandbox from stopping', async () => {
    const brief = await startSandbox()
    await brief.inbox('PUT', '/slow/settings', { body: { delayMs: 60_000 } })
    const waiting = assert.rejects(deliver(`${brief.url}/inbox/slow`))
    const endsAt = Date.now() + deadlineMs
    while (property((await brief.inbox('GET', '/slow/messages')).body, 'count') === 0) {
      assert.ok(Date.now() < endsAt, 'the waiting delivery is listed')
    }
    const startedAt = performance.now()
    await brief[Symbol.asyncDispose]()
    assert.ok(performance.now() - startedAt < deadlineMs)
    await waiting
  })
})

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const key = readSecret(secret) ?? Buffer.alloc(0)
const sentAtMs = 1_614_265_330_000

const signedDelivery = (body: Buffer, id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'): SignedDelivery => ({
  id,
  timestamp: String(sentAtMs / 1000),
  signature: new Webhook(secret).sign(id, new Date(sentAtMs), body.toString('utf8')),
  body,
})
const sample = signedDelivery(Buffer.from('{"test": 2432232314}'))
const verdict = (change: Partial<SignedDelivery>, nowMs = sentAtMs): Verdict =>
  judge({ ...sample, ...change }, [key], nowMs)

describe('the signature check', () => {
  test('holds for the published vector of Standard Webhooks', () => {
    const published = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    assert.equal(sample.signature, published)
    assert.equal(verdict({ signature: published }), 'valid')
  })

  test('agrees with the reference library on any id and any text body', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: 'grapheme' }), (id, body) => {
        assert.equal(judge(signedDelivery(Buffer.from(body), id), [key], sentAtMs), 'valid')
      }),
    )
  })

  test('fails when any one bit of the body, or any one character of id, time or signature, is another', () => {
    for (let bit = 0; bit < sample.body.length * 8; bit += 1) {
      const body = Buffer.from(sample.body)
      body.writeUInt8(body.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.equal(verdict({ body }), 'signature_mismatch')
    }
    for (const name of ['id', 'timestamp', 'signature'] as const) {
      const text = sample[name] ?? ''
      // The last character before the padding has bits that decoding drops, so it is not changed.
      const end = name === 'signature' ? text.length - 2 : text.length
      for (let at = 0; at < end; at += 1) {
        const changed = `${text.slice(0, at)}${text[at] === '5' ? '6' : '5'}${text.slice(at + 1)}`
        assert.notEqual(verdict({ [name]: changed }), 'valid', `${name} ${changed}`)
      }
    }
  })

  test('takes one right signature among others, and only those of version 1', () => {
    const right = sample.signature ?? ''
    assert.equal(verdict({ signature: `v1,AAAA v1a,${right.slice(3)} ${right}` }), 'valid')
    assert.equal(verdict({ signature: `${right} v1,AAAA` }), 'valid')
    for (const signature of [
      right.slice(3),
      right.replace('v1,', 'v2,'),
      right.replace('v1,', 'v1a,'),
      'v1,',
      'v1',
      right.replace('v1,', 'v1, '),
    ]) {
      assert.equal(verdict({ signature }), 'signature_mismatch', signature)
    }
  })

  test('tolerates five minutes to either side and not a millisecond more', () => {
    for (const [offsetMs, expected] of [
      [300_000, 'valid'],
      [-300_000, 'valid'],
      [300_001, 'timestamp_outside_tolerance'],
      [-300_001, 'timestamp_outside_tolerance'],
    ] as const) {
      assert.equal(verdict({}, sentAtMs + offsetMs), expected)
    }
    for (const timestamp of ['', 'now', '-1', '1e9', '1614265330.0', ' 1614265330', '0x60379f72', '9'.repeat(13)]) {
      assert.notEqual(verdict({ timestamp }), 'valid', timestamp)
    }
  })

  test('names a missing header, and says nothing about a delivery when there is no secret', () => {
    for (const name of ['id', 'timestamp', 'signature']) assert.equal(verdict({ [name]: null }), 'headers_missing')
    assert.equal(judge(sample, [], sentAtMs), 'no_secret')
  })

  test('reads secrets of 16 to 128 bytes in the one accepted form', () => {
    const encode = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
    for (const bytes of [16, 24, 32, 64, 128]) assert.equal(readSecret(encode(bytes))?.length, bytes)
    const bad = [
      encode(15),
      encode(129),
      '',
      'whsec_',
      encode(32).slice(6),
      `WHSEC_${encode(32).slice(6)}`,
      'whsec_***',
      ` ${encode(32)}`,
    ]
    for (const text of bad) assert.equal(readSecret(text), undefined, text)
  })
})
