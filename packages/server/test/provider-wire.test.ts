// The provider client compared with the provider's own OpenAPI document: its requests, and every documented response.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  businessFields,
  individualFields,
  associatedPersonFields as personFields,
} from '../src/end-users/kyc/form/fields.rules.ts'
import type { JsonObject } from '../src/platform/values/json.ts'
import type { Provider } from '../src/provider/bridge/client.ts'
import { bridgeOffer } from '../src/provider/bridge/offer.ts'
import {
  companyChangeOf,
  olderChangeOf,
  partialCompanyFields,
  wholeCompany,
} from '../src/provider/bridge/submission.ts'
import { associatedPersonBody, customerBody } from '../src/provider/bridge/wire/associated-person.ts'
import { ProviderError } from '../src/provider/port.ts'
import { openScriptedProvider, write } from './provider-world.ts'
import type { SeenRequest } from './scripted-upstream.ts'
import { bodyOf, variants } from './wire-bodies.ts'
import { openWireReference, referenceMissing, type WireProblem, type WireReference } from './wire-reference.ts'
import { type Speech, speeches } from './wire-speeches.ts'

const spoken = new Set(speeches.map(([operation]) => operation))

/** Operations on what the port speaks of, for which it has no method. */
const unspoken = [
  'DELETE /customers/{customerID}/associated_persons/{associatedPersonID}',
  'DELETE /webhooks/{webhookID}',
  'GET /customers/{customerID}/associated_persons/{associatedPersonID}',
  'GET /kyc_links',
  'GET /lists/countries',
  'GET /virtual_accounts',
  'GET /webhooks/{webhookID}/events',
  'GET /webhooks/{webhookID}/logs',
]

const isOfOurObjects = (operation: string): boolean =>
  /^[A-Z]+ \/(customers(\/\{customerID\}(\/(associated_persons|kyc_link|tos_acceptance_link|virtual_accounts)\b.*)?|\/tos_links)?|kyc_links.*|virtual_accounts.*|webhooks.*|lists.*)$/.test(
    operation,
  )

/** Plays the response to the call. @returns the outcome, and the request that the upstream got */
async function converse(speak: Speech[1], answer: { status: number; body: unknown }) {
  await using world = await openScriptedProvider()
  world.upstream.script(answer)
  const outcome = await speak(world.provider).catch((error: unknown) => error)
  const [request] = world.upstream.seen
  assert.ok(request)
  return { outcome, request }
}

test('no method of the port is left out of these tests', async () => {
  await using world = await openScriptedProvider()
  const called = new Set<string>()
  const recorder = new Proxy(world.provider, {
    get(provider, name: keyof Provider) {
      called.add(name)
      return provider[name]
    },
  })
  for (const [, speak] of speeches) await speak(recorder).catch(() => {})
  assert.deepEqual([...called, 'close', 'during'].sort(), Object.keys(world.provider).sort())
})

test('a POST carries the idempotency key of its write, and no other request carries one', async () => {
  for (const [operation, speak] of speeches) {
    const { request } = await converse(speak, { status: 500, body: {} })
    const expected = operation.startsWith('POST ') ? write.key : undefined
    assert.equal(request.headers['idempotency-key'], expected, operation)
    assert.equal(request.headers['api-key'], 'sk-test-key')
  }
})

describe('against the wire reference', { skip: referenceMissing }, () => {
  const reference = referenceMissing ? null : openWireReference()
  if (!reference) return

  const listed = listedDeviations('Client')

  for (const [operation, speak] of speeches)
    test(`the request of ${operation} is as documented, or as WIRE.md says (${speak.toString().match(/p\.(\w+)/)?.[1]})`, async () => {
      const { request } = await converse(speak, { status: 500, body: {} })
      assert.equal(reference.operationOf(request) ?? operation, operation)
      assertListed(reference.problemsOf(request), listed)
    })

  test('every property and every word that a submission may hold is as documented, or as WIRE.md says', () => {
    assertListed(submissionProblems(reference), listed)
  })

  test('every currency, rail and coin of an account is as documented, or as WIRE.md says', async () => {
    assertListed(await accountProblems(reference), listed)
  })

  test('WIRE.md lists no deviation of the client that is none', async () => {
    const requests = await Promise.all(speeches.map(([, speak]) => converse(speak, { status: 500, body: {} })))
    const found = [
      ...requests.flatMap(({ request }) => reference.problemsOf(request)),
      ...submissionProblems(reference),
      ...(await accountProblems(reference)),
    ]
    assert.deepEqual(
      [...listed].filter((place) => !found.some((problem) => problem.place === place)),
      [],
    )
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

  test('the operations on our objects without a method are the listed ones', () => {
    const withoutMethod = reference.operations.filter(
      (operation) => isOfOurObjects(operation) && !spoken.has(operation),
    )
    assert.deepEqual(withoutMethod.sort(), unspoken)
  })
})

function assertDocumentedFailure(status: number, outcome: unknown): void {
  const kinds = { 400: 'rejected', 401: 'unauthorized', 404: 'not_found', 500: 'unavailable' }
  assert.ok(outcome instanceof ProviderError)
  assert.equal(outcome.kind, Object.entries(kinds).find(([documented]) => Number(documented) === status)?.[1])
  assert.notEqual(outcome.code, null)
}

/** The first column of a section's table in WIRE.md: an operation, and where in its request. */
function listedDeviations(section: string): ReadonlySet<string> {
  const text = readFileSync(join(import.meta.dirname, '../../../WIRE.md'), 'utf8')
  const [, part = ''] = text.split(`\n## ${section}\n`)
  const [own = ''] = part.split('\n## ')
  return new Set([...own.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, place = '']) => place))
}

function assertListed(problems: readonly WireProblem[], listed: ReadonlySet<string>): void {
  const unlisted = problems.filter(({ place }) => !listed.has(place)).map(({ place, rule }) => `${place}: ${rule}`)
  assert.deepEqual([...new Set(unlisted)], [])
}

/** @property sent what becomes of a submission on its way */
type Submitted = {
  method: string
  path: string
  fields: typeof individualFields
  sent: (body: JsonObject) => JsonObject
}

const changeOf = (submission: JsonObject): JsonObject => {
  const change = companyChangeOf(submission, true)
  assert.ok(change)
  return change
}

const partOf = (body: JsonObject) => Object.entries(body).filter(([name]) => partialCompanyFields.has(name))
const olderOf = (body: JsonObject): JsonObject => {
  const change = olderChangeOf(changeOf(Object.fromEntries(partOf(body))), ['business_legal_name'])
  assert.ok(change)
  return change
}

const submitted: Submitted[] = [
  { method: 'POST', path: '/customers', fields: individualFields, sent: (body) => ({ ...body, type: 'individual' }) },
  { method: 'PUT', path: '/customers/1', fields: individualFields, sent: (body) => ({ ...body, type: 'individual' }) },
  { method: 'POST', path: '/customers', fields: businessFields, sent: wholeCompany },
  { method: 'PUT', path: '/customers/1', fields: businessFields, sent: changeOf },
  {
    method: 'PUT',
    path: '/customers/1',
    fields: businessFields,
    sent: olderOf,
  },
  { method: 'POST', path: '/customers/1/associated_persons', fields: personFields, sent: associatedPersonBody },
  { method: 'PUT', path: '/customers/1/associated_persons/2', fields: personFields, sent: associatedPersonBody },
]

function submissionProblems(reference: WireReference): WireProblem[] {
  return submitted.flatMap(({ method, path, fields, sent }) =>
    Array.from({ length: variants }, (_, variant) => {
      const body = JSON.stringify(customerBody(sent(bodyOf(fields, variant))))
      const url = new URL(`http://upstream/v0${path}`)
      return reference.problemsOf({ method, url, headers: sentHeaders(method), body })
    }).flat(),
  )
}

const sentHeaders = (method: string) => ({
  'api-key': 'k',
  'content-type': 'application/json',
  ...(method === 'POST' ? { 'idempotency-key': 'i' } : {}),
})

async function accountProblems(reference: WireReference): Promise<WireProblem[]> {
  await using world = await openScriptedProvider()
  const { fiat, chains } = bridgeOffer
  for (const sourceCurrency of Object.keys(fiat))
    for (const [paymentRail, { currencies }] of Object.entries(chains))
      for (const currency of currencies) {
        const destination = { paymentRail, currency, address: 'address' }
        const input = { sourceCurrency, destination, developerFeePercent: '0' }
        await world.provider.createVirtualAccount('cust_1', input, write).catch(() => {})
        await world.provider.updateVirtualAccount('cust_1', 'va_1', { destination }).catch(() => {})
      }
  return world.upstream.seen.flatMap((request) => reference.problemsOf(request))
}
