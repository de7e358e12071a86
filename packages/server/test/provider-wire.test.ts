// The provider client held against the provider's own OpenAPI document: what it sends, and every documented answer.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Provider, ProviderError } from '../src/provider/port.ts'
import { openWorld, write } from './provider-world.ts'
import type { SeenRequest } from './scripted-upstream.ts'
import { openWireReference, referenceMissing } from './wire-reference.ts'

const destination = { paymentRail: 'stellar', currency: 'usdc', address: 'GABC', memo: '77' }
const individual = {
  type: 'individual',
  first_name: 'Ann',
  last_name: 'Lee',
  email: 'ann@example.com',
  birth_date: '1990-01-15',
  signed_agreement_id: '4d5d8c45-9feb-422a-bb5e-0fd32e3b3c53',
  residential_address: { street_line_1: '1 Main St', city: 'Oakland', subdivision: 'CA', country: 'USA' },
  identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: '123456789' }],
  endorsements: ['base', 'sepa'],
}

type Speech = [operation: string, speak: (provider: Provider) => Promise<unknown>]

/** Every method of the port at least once, with every optional input. */
const speeches: Speech[] = [
  ['POST /customers/tos_links', (p) => p.createTosLink(write)],
  ['GET /customers/{customerID}/tos_acceptance_link', (p) => p.getTosAcceptanceLink('cust_1')],
  ['POST /customers', (p) => p.createCustomer(individual, write)],
  ['PUT /customers/{customerID}', (p) => p.updateCustomer('cust_1', individual)],
  ['GET /customers/{customerID}', (p) => p.getCustomer('cust_1')],
  ['GET /customers', (p) => p.findCustomersByEmail('johndoe@johndoe.com')],
  ['DELETE /customers/{customerID}', (p) => p.deleteCustomer('cust_1')],
  ['POST /kyc_links', (p) => p.createKycLink({ email: 'ann@example.com', type: 'individual' }, write)],
  [
    'POST /kyc_links',
    (p) =>
      p.createKycLink(
        {
          email: 'ann@example.com',
          type: 'business',
          fullName: 'Ann Lee',
          endorsements: ['sepa'],
          redirectUri: 'https://example.com/back',
        },
        write,
      ),
  ],
  ['GET /kyc_links/{kycLinkID}', (p) => p.getKycLink('kyc_1')],
  ['GET /customers/{customerID}/kyc_link', (p) => p.getCustomerKycLink('cust_1')],
  [
    'GET /customers/{customerID}/kyc_link',
    (p) => p.getCustomerKycLink('cust_1', { endorsement: 'sepa', redirectUri: 'https://example.com/back?a=1&b=2' }),
  ],
  [
    'POST /customers/{customerID}/virtual_accounts',
    (p) => p.createVirtualAccount('cust_1', { sourceCurrency: 'eur', destination, developerFeePercent: '0.5' }, write),
  ],
  ['GET /customers/{customerID}/virtual_accounts', (p) => p.listVirtualAccounts('cust_1')],
  [
    'GET /customers/{customerID}/virtual_accounts',
    (p) => p.listVirtualAccounts('cust_1', { limit: 100, startingAfter: 'va_1' }),
  ],
  ['GET /customers/{customerID}/virtual_accounts/{virtualAccountID}', (p) => p.getVirtualAccount('cust_1', 'va_1')],
  [
    'PUT /customers/{customerID}/virtual_accounts/{virtualAccountID}',
    (p) => p.updateVirtualAccount('cust_1', 'va_1', { destination, developerFeePercent: '10.2' }),
  ],
  [
    'POST /customers/{customerID}/virtual_accounts/{virtualAccountID}/deactivate',
    (p) => p.deactivateVirtualAccount('cust_1', 'va_1', write),
  ],
  [
    'POST /customers/{customerID}/virtual_accounts/{virtualAccountID}/reactivate',
    (p) => p.reactivateVirtualAccount('cust_1', 'va_1', write),
  ],
  [
    'GET /customers/{customerID}/virtual_accounts/{virtualAccountID}/history',
    (p) => p.listActivity('cust_1', 'va_1', { limit: 10, startingAfter: 'va_event_1' }),
  ],
  [
    'POST /webhooks',
    (p) =>
      p.createWebhook(
        { url: 'https://example.com/hook', eventEpoch: 'webhook_creation', eventCategories: ['customer', 'kyc_link'] },
        write,
      ),
  ],
  ['GET /webhooks', (p) => p.listWebhooks()],
  ['GET /webhook_events', (p) => p.listWebhookEvents({ limit: 200, startingAfter: 'wh_1' })],
  ['POST /webhooks/{webhookID}/send', (p) => p.sendWebhookEvent('wep_1', 'wh_1', write)],
  ['PUT /webhooks/{webhookID}', (p) => p.updateWebhook('wep_1', { url: 'https://example.com/hook', status: 'active' })],
]

const spoken = new Set(speeches.map(([operation]) => operation))

/** Published after the reference was: held against the emulator only. */
const later = new Set(['GET /webhook_events'])

/** Operations of the reference for which the port has no method. */
const unspoken = [
  'DELETE /webhooks/{webhookID}',
  'GET /kyc_links',
  'GET /lists/countries',
  'GET /lists/occupation_codes',
  'GET /virtual_accounts',
  'GET /virtual_accounts/history',
  'GET /webhooks/{webhookID}/events',
  'GET /webhooks/{webhookID}/logs',
]

/** Plays the answer to the call; what came of it, and the request as the upstream saw it. */
async function converse(speak: Speech[1], answer: { status: number; body: unknown }) {
  await using world = await openWorld()
  world.upstream.script(answer)
  const outcome = await speak(world.provider).catch((error: unknown) => error)
  const [request] = world.upstream.seen
  assert.ok(request)
  return { outcome, request }
}

test('no method of the port is left out of these tests', async () => {
  await using world = await openWorld()
  const called = new Set<string>()
  const recorder = new Proxy(world.provider, {
    get(provider, name: keyof Provider) {
      called.add(name)
      return provider[name]
    },
  })
  for (const [, speak] of speeches) await speak(recorder).catch(() => {})
  assert.deepEqual([...called, 'close', 'readEvent'].sort(), Object.keys(world.provider).sort())
})

test('a POST carries the idempotency key of its write, and no other request carries one', async () => {
  for (const [operation, speak] of speeches) {
    const { request } = await converse(speak, { status: 500, body: {} })
    const expected = operation.startsWith('POST ') ? write.idempotencyKey : undefined
    assert.equal(request.headers['idempotency-key'], expected, operation)
    assert.equal(request.headers['api-key'], 'sk-test-key')
  }
})

describe('against the wire reference', { skip: referenceMissing }, () => {
  const reference = referenceMissing ? null : openWireReference()
  if (!reference) return

  for (const [operation, speak] of speeches.filter(([operation]) => !later.has(operation)))
    test(`the request of ${operation} is as documented (${speak.toString().match(/p\.(\w+)/)?.[1]})`, async () => {
      const { request } = await converse(speak, { status: 500, body: {} })
      assert.equal(reference.operationOf(request), operation)
      assert.deepEqual(reference.problemsOf(request), [])
    })

  test('the reference does find fault: path, method, query, key, body type, member and value', () => {
    const headers = { 'api-key': 'k', 'idempotency-key': 'i', 'content-type': 'application/json' }
    const account = {
      source: { currency: 'usd' },
      destination: { currency: 'usdc', payment_rail: 'base', address: 'a' },
    }
    const good: SeenRequest = {
      method: 'POST',
      url: new URL('http://upstream/v0/customers/cust_1/virtual_accounts'),
      headers,
      body: JSON.stringify(account),
    }
    assert.deepEqual(reference.problemsOf(good), [])
    const faulty: Partial<SeenRequest>[] = [
      { url: new URL('http://upstream/v0/customer') },
      { method: 'PUT' },
      { url: new URL(`${good.url}?limit=1`) },
      { headers: { ...headers, 'idempotency-key': '' } },
      { headers: { ...headers, 'api-key': '' } },
      { headers: { ...headers, 'content-type': 'text/plain' } },
      { body: JSON.stringify({ ...account, fee: '1' }) },
      { body: JSON.stringify({ ...account, source: { currency: 'xyz' } }) },
      { body: JSON.stringify({ ...account, developer_fee_percent: '100' }) },
      { body: JSON.stringify({ source: account.source }) },
    ]
    for (const fault of faulty)
      assert.notDeepEqual(reference.problemsOf({ ...good, ...fault }), [], JSON.stringify(fault))
  })

  for (const example of reference.examples().filter(({ operation }) => spoken.has(operation)))
    test(`the documented answer is read: ${example.name}`, async () => {
      const [, speak] = speeches.find(([operation]) => operation === example.operation) ?? []
      assert.ok(speak)
      const { outcome } = await converse(speak, { status: example.status, body: example.value })
      if (example.status < 300) assert.ok(!(outcome instanceof Error), String(outcome))
      else assertDocumentedFailure(example.status, outcome)
    })

  test('the operations without a method are the listed ones', () => {
    const withoutMethod = reference.operations.filter((operation) => !spoken.has(operation))
    assert.deepEqual(withoutMethod.sort(), unspoken)
  })
})

function assertDocumentedFailure(status: number, outcome: unknown): void {
  const kinds = { 400: 'rejected', 401: 'unauthorized', 404: 'not_found', 500: 'unavailable' }
  assert.ok(outcome instanceof ProviderError)
  assert.equal(outcome.kind, Object.entries(kinds).find(([documented]) => Number(documented) === status)?.[1])
  assert.notEqual(outcome.code, null)
}
