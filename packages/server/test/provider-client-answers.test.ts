// The provider client with responses that are refusals, garbage, too large or undocumented.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { inspect } from 'node:util'
import type { Provider } from '../src/provider/bridge/client.ts'
import type { ProviderErrorKind } from '../src/provider/port.ts'
import { until } from './caller.ts'
import { failureAt, failureOf, listenRaw, openScriptedProvider, write } from './provider-world.ts'

const customer = { id: 'cust_1', status: 'active' }
const canary = 'CANARY-078-05-1120'

test('a value that stands in a path is percent-encoded', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script({ body: customer })
  await world.provider.getCustomer('a/../b?c#d é')
  assert.equal(world.upstream.seen[0]?.url.pathname, '/v0/customers/a%2F..%2Fb%3Fc%23d%20%C3%A9')
})

test('a value that would name another resource is refused before anything is sent', async () => {
  await using world = await openScriptedProvider()
  for (const id of ['', '.', '..']) {
    const failure = await failureOf(world.provider.deleteCustomer(id))
    assert.equal(failure.kind, 'rejected')
    assert.equal(failure.outcomeUnknown, false)
  }
  assert.equal(world.upstream.seen.length, 0)
})

test('what is not HTTP is unavailable and leaves no trace of its bytes', async () => {
  const garbage = await listenRaw((socket) => socket.on('data', () => socket.end(`${canary}\r\n\r\n`)))
  const failure = await failureAt(`http://${garbage}/v0`)
  assert.equal(failure.kind, 'unavailable')
  assert.ok(!inspect(failure, { depth: 10, showHidden: true }).includes(canary))
})

const pourWith = (status: number) => (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  const pour = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', pour)
  pour()
}

for (const [status, kind, carriedOut] of [
  [201, 'unreadable', { objectId: null }],
  [503, 'unavailable', null],
] as const)
  test(`a response of ${status} beyond 4 MiB to a write is ${kind}, and ${carriedOut ? 'the' : 'no'} write counts as carried out`, async () => {
    await using world = await openScriptedProvider()
    world.upstream.script(pourWith(status))
    const failure = await failureOf(world.provider.createCustomer({ type: 'individual' }, write))
    assert.deepEqual([failure.kind, failure.carriedOut], [kind, carriedOut])
  })

test('an answer beyond 4 MiB is unreadable and not read to its end', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script(pourWith(200))
  const { kind, carriedOut } = await failureOf(world.provider.getCustomer('cust_1'))
  assert.deepEqual([kind, carriedOut], ['unreadable', null])
  await until('the close of the connection', () => world.upstream.connections.size === 0)
})

test('an answer just below 4 MiB is read', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script({ body: JSON.stringify(customer).padEnd(4 * 1024 * 1024) })
  assert.equal((await world.provider.getCustomer('cust_1')).id, 'cust_1')
})

const unusable = [
  '',
  'null',
  '[]',
  '"text"',
  '{}',
  `<html>${canary}</html>`,
  `{"id": ${canary}}`,
  `{"status":"${canary}"}`,
]
for (const body of unusable)
  test(`a 200 with ${JSON.stringify(body)} is unreadable, its outcome unknown, its bytes nowhere`, async () => {
    await using world = await openScriptedProvider()
    world.upstream.script({ body })
    const failure = await failureOf(world.provider.createCustomer({ type: 'individual' }, write))
    assert.equal(failure.kind, 'unreadable')
    assert.equal(failure.status, 200)
    assert.equal(failure.outcomeUnknown, true)
    assert.ok(!inspect(failure, { depth: 10, showHidden: true }).includes(canary))
  })

test('a deletion needs no body in its answer', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script({ body: '' }, { status: 204, body: '' }, { body: customer })
  for (let call = 0; call < 3; call += 1) assert.equal(await world.provider.deleteCustomer('cust_1'), undefined)
})

test('any 2xx is success, whichever the reference names', async () => {
  await using world = await openScriptedProvider()
  for (const status of [200, 201, 202]) {
    world.upstream.script({ status, body: customer })
    assert.equal((await world.provider.createCustomer({ type: 'individual' }, write)).id, 'cust_1')
  }
})

test('a redirect is not followed', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script({ status: 307, headers: { location: `${world.upstream.baseUrl}/elsewhere` }, body: '' })
  assert.equal((await failureOf(world.provider.createTosLink(write))).kind, 'unavailable')
  assert.equal(world.upstream.seen.length, 1)
})

const refusals: [status: number, kind: ProviderErrorKind][] = [
  [400, 'rejected'],
  [401, 'unauthorized'],
  [404, 'not_found'],
  [429, 'unavailable'],
  [500, 'unavailable'],
]
for (const [status, kind] of refusals)
  test(`${status} reaches the caller as ${kind} with code, fields and Retry-After, its message free of values`, async () => {
    await using world = await openScriptedProvider()
    const body = { code: 'some_code', message: canary, source: { location: 'body', key: { number: canary } } }
    world.upstream.script({ status, headers: { 'retry-after': '7' }, body })
    const failure = await failureOf(world.provider.createCustomer({ number: canary }, write))
    assert.equal(failure.kind, kind)
    assert.equal(failure.status, status)
    assert.equal(failure.code, 'some_code')
    assert.deepEqual(failure.fields, { number: canary })
    assert.equal(failure.retryAfterSeconds, 7)
    assert.equal(failure.message, `provider ${kind} (${status}) some_code`)
    assert.ok(!inspect(failure.cause, { depth: 10 }).includes(canary))
  })

test('a key that no header can carry is refused before anything is sent', async () => {
  await using world = await openScriptedProvider()
  const failure = await failureOf(world.provider.createTosLink({ key: 'a\r\nx-injected: 1' }))
  assert.equal(failure.kind, 'rejected')
  assert.equal(world.upstream.seen.length, 0)
})

test('the log tells operation, outcome and duration, and neither key, id, email nor body', async () => {
  const lines: string[] = []
  const write_ = (facts: Record<string, unknown>, message: string) =>
    void lines.push(JSON.stringify({ ...facts, message }))
  await using world = await openScriptedProvider({
    apiKey: `sk-test-${canary}`,
    log: { debug: write_, warn: write_, error: write_ },
  })
  world.upstream.script({ body: { data: [] } }, { status: 400, body: { code: 'bad_request', message: canary } })
  await world.provider.findCustomersByEmail(`${canary}@example.com`)
  await failureOf(world.provider.updateCustomer(canary, { first_name: canary }))
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /"operation":"findCustomersByEmail","method":"GET","status":200,"durationMs":\d+/)
  assert.match(
    lines[1] ?? '',
    /"operation":"updateCustomer","method":"PUT","kind":"rejected","status":400,"code":"bad_request"/,
  )
  assert.ok(!lines.join().includes(canary))
})

test('a conflict of states is repeated under the same key, and told as passing when it stays', async () => {
  await using world = await openScriptedProvider()
  const conflict = { status: 409, body: { code: 'resource_state_conflict', message: 'busy' } }
  world.upstream.script(conflict, { status: 201, body: { id: 'cust_1', status: 'active' } })
  assert.equal((await world.provider.createCustomer({ type: 'individual' }, write)).id, 'cust_1')
  const keys = world.upstream.seen.map(({ headers }) => headers['idempotency-key'])
  assert.deepEqual(keys, [write.key, write.key])
  world.upstream.script(conflict, conflict, conflict, conflict, conflict)
  const failure = await failureOf(world.provider.createCustomer({ type: 'individual' }, write))
  assert.deepEqual(
    [failure.kind, failure.code, failure.outcomeUnknown],
    ['unavailable', 'resource_state_conflict', true],
  )
  assert.equal(world.upstream.seen.length, 6)
})

test('every request says who calls', async () => {
  await using world = await openScriptedProvider()
  await failureOf(world.provider.getCustomer('cust_1'))
  assert.match(world.upstream.seen[0]?.headers['user-agent'] ?? '', /^Causeway\/\d+\.\d+\.\d+/)
})

test('the creation of a customer has a deadline of its own', async () => {
  await using world = await openScriptedProvider({ timeoutMs: 50, customerTimeoutMs: 5_000 })
  world.upstream.script((_request, response) => {
    setTimeout(() => response.writeHead(201).end(JSON.stringify({ id: 'cust_1', status: 'active' })), 200)
  })
  assert.equal((await world.provider.createCustomer({ type: 'individual' }, write)).id, 'cust_1')
  world.upstream.script(() => {})
  assert.equal((await failureOf(world.provider.updateCustomer('cust_1', {}))).kind, 'timeout')
})

test('the creation of a customer is made once more, under its key, when the connection dies', async () => {
  await using world = await openScriptedProvider()
  const dies = (_request: unknown, response: ServerResponse) => void response.destroy()
  const create = () => world.provider.createCustomer({ type: 'individual' }, write)
  world.upstream.script(dies, { status: 201, body: { id: 'cust_1', status: 'active' } })
  assert.equal((await create()).id, 'cust_1')
  const keys = world.upstream.seen.map(({ headers }) => headers['idempotency-key'])
  assert.deepEqual(keys, [write.key, write.key])

  world.upstream.script(dies, dies, dies)
  const failure = await failureOf(create())
  assert.equal(failure.kind, 'timeout')
  assert.equal(failure.outcomeUnknown, true)
  assert.equal(world.upstream.seen.length, 4)
})

/** The body of the request that a call sends. */
async function bodyOf(speak: (provider: Provider) => Promise<unknown>): Promise<unknown> {
  await using world = await openScriptedProvider()
  await failureOf(speak(world.provider))
  return JSON.parse(world.upstream.seen[0]?.body ?? '')
}

test('a KYC link request holds what was given and nothing else', async () => {
  const plain = { email: 'a@b.c', type: 'business' } as const
  assert.deepEqual(await bodyOf((provider) => provider.createKycLink(plain, write)), plain)
  const whole = { email: 'a@b.c', type: 'individual', endorsements: ['sepa'] } as const
  const given = { ...whole, endorsements: ['sepa'], fullName: 'Ann', redirectUri: 'https://a.b/c' }
  const sent = { ...whole, full_name: 'Ann', redirect_uri: 'https://a.b/c' }
  assert.deepEqual(await bodyOf((provider) => provider.createKycLink(given, write)), sent)
})

test('webhook requests hold what was given and nothing else', async () => {
  const creation = { url: 'https://a.b', eventEpoch: 'webhook_creation' } as const
  const sent = { url: 'https://a.b', event_epoch: 'webhook_creation' }
  assert.deepEqual(await bodyOf((provider) => provider.createWebhook(creation, write)), sent)
  for (const change of [{ status: 'active' }, { url: 'https://a.b' }] as const)
    assert.deepEqual(await bodyOf((provider) => provider.updateWebhook('wep_1', change)), change)
})

test('a request for an account names the memo as the wire does and leaves out what is not given', async () => {
  const destination = { paymentRail: 'stellar', currency: 'usdc', address: 'GA', memo: '77' }
  const sent = { payment_rail: 'stellar', currency: 'usdc', address: 'GA', blockchain_memo: '77' }
  const wanted = { sourceCurrency: 'usd', destination, developerFeePercent: '0.5' }
  const creation = await bodyOf((provider) => provider.createVirtualAccount('cust_1', wanted, write))
  assert.deepEqual(creation, { source: { currency: 'usd' }, destination: sent, developer_fee_percent: '0.5' })
  const travelRuleData = { beneficiary: { is_self: true } }
  const feeConfig = { source: { default: { fee_percent: '0.8' } } }
  const prefunded = { paymentRail: 'prefunded', currency: 'usd', prefundedAccountId: 'pfa91' }
  const byId = { sourceCurrency: 'usd', destination: prefunded, feeConfig, travelRuleData }
  assert.deepEqual(await bodyOf((provider) => provider.createVirtualAccount('cust_1', byId, write)), {
    source: { currency: 'usd' },
    destination: { payment_rail: 'prefunded', currency: 'usd', prefunded_account_id: 'pfa91' },
    fee_config: feeConfig,
    travel_rule_data: travelRuleData,
  })
  const wallet = { paymentRail: 'base', currency: 'usdc', bridgeWalletId: 'bw7k2' }
  const changes: [change: Parameters<Provider['updateVirtualAccount']>[2], sent: object][] = [
    [{ destination }, { destination: sent }],
    [{ developerFeePercent: '1' }, { developer_fee_percent: '1' }],
    [
      { destination: wallet, feeConfig },
      { destination: { payment_rail: 'base', currency: 'usdc', bridge_wallet_id: 'bw7k2' }, fee_config: feeConfig },
    ],
  ]
  for (const [change, body] of changes)
    assert.deepEqual(await bodyOf((provider) => provider.updateVirtualAccount('cust_1', 'va_1', change)), body)
})
