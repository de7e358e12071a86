// Every documented way in which the provider refuses or fails, and what the services see of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ProviderError } from '../../port.ts'
import { errorOfAnswer } from './errors.ts'

function errorOf(status: number, body: unknown, headers: Record<string, string> = {}): ProviderError {
  return errorOfAnswer({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

test('shape one: the key of the source is a list of names in one string', () => {
  const error = errorOf(400, {
    code: 'bad_request',
    message: 'Invalid',
    source: { location: 'body', key: 'first_name, birth_date' },
  })
  assert.equal(error.kind, 'rejected')
  assert.equal(error.status, 400)
  assert.equal(error.code, 'bad_request')
  assert.deepEqual(error.fields, { first_name: 'Invalid', birth_date: 'Invalid' })
})

test('shape two: the key of the source is a map of messages, nested at times', () => {
  const key = {
    'source.currency': 'Not supported',
    destination: { address: 'Invalid', memo: ['Too long', 'Not digits'] },
  }
  const error = errorOf(400, { code: 'invalid_parameters', message: 'Resubmit', source: { location: 'body', key } })
  assert.equal(error.code, 'invalid_parameters')
  assert.deepEqual(error.fields, {
    'source.currency': 'Not supported',
    'destination.address': 'Invalid',
    'destination.memo': 'Too long; Not digits',
  })
})

test('shape three: location and name stand at the top', () => {
  const refused = errorOf(401, {
    code: 'invalid',
    location: 'header',
    name: 'Api-Key',
    message: 'Invalid Api-Key header',
  })
  assert.equal(refused.kind, 'unauthorized')
  assert.equal(refused.code, 'invalid')
  const missing = errorOf(400, { code: 'bad_customer_request', message: 'fields missing', name: 'first_name,ssn' })
  assert.equal(missing.kind, 'rejected')
  assert.deepEqual(missing.fields, { first_name: 'fields missing', ssn: 'fields missing' })
})

test('shape four: a list of errors', () => {
  const error = errorOf(500, { errors: [{ code: 'unexpected', message: 'An unexpected error occurred' }] })
  assert.equal(error.kind, 'unavailable')
  assert.equal(error.code, 'unexpected')
  assert.deepEqual(errorOf(422, { errors: [{ message: 'No', source: { key: 'email' } }] }).fields, { email: 'No' })
})

test('duplicate_record names the KYC link that exists', () => {
  const link = {
    id: 'kyc_1',
    kyc_link: 'https://kyc.example/1',
    tos_link: 'https://tos.example/1',
    kyc_status: 'not_started',
    tos_status: 'pending',
    customer_id: null,
    rejection_reasons: [{ developer_reason: 'Hidden', reason: 'Shown' }],
  }
  const error = errorOf(400, { code: 'duplicate_record', message: 'Exists', existing_kyc_link: link })
  assert.equal(error.kind, 'rejected')
  assert.equal(error.code, 'duplicate_record')
  assert.deepEqual(error.existingPage, {
    id: 'kyc_1',
    customerId: null,
    url: 'https://kyc.example/1',
    termsUrl: 'https://tos.example/1',
    standing: {
      status: 'not_started',
      verdict: 'not_started',
      pause: null,
      hasAcceptedTerms: false,
      reasons: ['Shown'],
    },
  })
})

test('duplicate_record without a usable link is still a refusal', () => {
  assert.equal(errorOf(400, { code: 'duplicate_record', existing_kyc_link: {} }).existingPage, null)
  assert.equal(errorOf(400, { code: 'duplicate_record', message: 'Other body' }).existingPage, null)
})

const kinds: [status: number, body: unknown, kind: string][] = [
  [400, { code: 'has_not_accepted_tos' }, 'rejected'],
  [403, { code: 'not_allowed' }, 'rejected'],
  [409, { code: 'resource_state_conflict' }, 'unavailable'],
  [422, { code: 'unprocessable_entity' }, 'rejected'],
  [400, { message: 'no code' }, 'rejected'],
  [401, { code: 'required' }, 'unauthorized'],
  [401, '<html>', 'unauthorized'],
  [404, { code: 'Invalid', message: 'Unknown customer id' }, 'not_found'],
  [404, '<html>Not Found</html>', 'unavailable'],
  [404, '', 'unavailable'],
  [400, '[]', 'unavailable'],
  [302, '', 'unavailable'],
  [408, {}, 'unavailable'],
  [424, { code: 'external_dependency_failed' }, 'unavailable'],
  [429, { code: 'rate_limited' }, 'unavailable'],
  [500, { errors: [{ code: 'unexpected' }] }, 'unavailable'],
  [502, { code: 'external_dependency_failed' }, 'unavailable'],
  [503, 'upstream connect error', 'unavailable'],
]

for (const [status, body, kind] of kinds)
  test(`${status} with ${JSON.stringify(body)} is ${kind}`, () => {
    const error = errorOf(status, body)
    assert.equal(error.kind, kind)
    assert.equal(error.status, status)
    assert.equal(error.outcomeUnknown, kind === 'unavailable')
  })

test('Retry-After is read as seconds or as a date against the answer’s own date, and bounded', () => {
  const date = 'Wed, 19 Nov 2025 21:00:00 GMT'
  const after = (value: string, more: Record<string, string> = {}) =>
    errorOf(429, {}, { 'retry-after': value, ...more }).retryAfterSeconds
  assert.equal(after('7'), 7)
  assert.equal(after('Wed, 19 Nov 2025 21:00:30 GMT', { date }), 30)
  assert.equal(after('Wed, 19 Nov 2025 20:00:00 GMT', { date }), 0)
  assert.equal(after('999999999'), 86_400)
  assert.equal(after('soon'), null)
  assert.equal(after('Wed, 19 Nov 2025 21:00:30 GMT'), null)
  assert.equal(errorOf(503, {}).retryAfterSeconds, null)
})

test('no value of the answer reaches the message, not even by the code', () => {
  const sent = '078-05-1120 of Ann'
  const error = errorOf(400, { code: sent, message: sent, source: { key: { number: sent } } })
  assert.equal(error.message, 'provider rejected (400)')
  assert.equal(error.code, null)
})

test('any answer is read as some ProviderError', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.jsonValue(), errorLike), (status, body) => {
      assert.ok(errorOf(status, body) instanceof ProviderError)
    }),
  )
})

const errorLike = fc.record(
  {
    code: fc.jsonValue(),
    message: fc.jsonValue(),
    name: fc.jsonValue(),
    source: fc.oneof(fc.jsonValue(), fc.record({ key: fc.jsonValue() })),
    errors: fc.jsonValue(),
    existing_kyc_link: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

test('field names that collide with Object.prototype are only names', () => {
  const error = errorOf(400, '{"code":"bad","source":{"key":{"__proto__":"No","constructor":"No"}}}')
  assert.deepEqual(Object.keys(error.fields), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(error.fields), Object.prototype)
})
