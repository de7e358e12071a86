// Validation errors are complete, name field and rule, and omit the value.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { closed, idOf, isoTime, listQuery, metadata, nullable, oneOf } from '../../src/platform/http/schema/schema.ts'
import { edgeServer } from './edge-server.ts'

const open = { auth: 'none' } as const
const account = closed({
  externalUserId: Type.String({ minLength: 1, maxLength: 8 }),
  destination: closed({ payment_rail: oneOf('PaymentRail', ['solana', 'base']), address: Type.String() }),
  developer_fee_percent: Type.Optional(
    Type.String({
      pattern: '^[0-9.]+$',
      errorCode: 'invalid_developer_fee_percent',
      errorText: 'must be a decimal string',
    }),
  ),
  documents: Type.Optional(Type.Array(closed({ purpose: Type.String() }), { maxItems: 2 })),
  expiresAt: Type.Optional(isoTime),
  note: Type.Optional(nullable(Type.String())),
  labels: Type.Optional(metadata),
  hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: 24 })),
})
const edge = await edgeServer({
  routes(app) {
    app.post('/accounts', { config: open, schema: { body: account } }, (request) => request.body)
    app.get(
      '/list',
      {
        config: open,
        schema: {
          querystring: listQuery({
            active: Type.Optional(Type.Boolean()),
            types: Type.Optional(Type.Array(Type.String())),
            createdAfter: Type.Optional(isoTime),
          }),
        },
      },
      (request) => request.query,
    )
    app.get(
      '/accounts/:id',
      { config: open, schema: { params: closed({ id: idOf('virtualAccount') }) } },
      (request) => request.params,
    )
  },
})
after(() => edge.stop())

const good = { externalUserId: 'user-1', destination: { payment_rail: 'base', address: 'x' } }

async function problems(change: object): Promise<Record<string, string>> {
  const answer = await edge.call('POST', '/accounts', { ...good, ...change })
  assert.equal(answer.status, 400, answer.text)
  const { details, code, param, message } = answer.body.error
  assert.equal(code, details[0].code, 'the first problem names the whole')
  assert.equal(param, details[0].param)
  assert.equal(message, details[0].message)
  return Object.fromEntries(details.map((detail: { param: string; code: string }) => [detail.param, detail.code]))
}

test('each kind of problem has its code and the dotted name of its field', async () => {
  assert.deepEqual(await problems({ externalUserId: undefined }), { externalUserId: 'missing_field' })
  assert.deepEqual(await problems({ externalUserId: 7 }), { externalUserId: 'invalid_type' })
  assert.deepEqual(await problems({ externalUserId: '' }), { externalUserId: 'invalid_length' })
  assert.deepEqual(await problems({ externalUserId: 'x'.repeat(9) }), { externalUserId: 'invalid_length' })
  assert.deepEqual(await problems({ expiresAt: 'tomorrow' }), { expiresAt: 'invalid_format' })
  assert.deepEqual(await problems({ documents: [{ purpose: 'a' }, {}] }), { 'documents.1.purpose': 'missing_field' })
  assert.deepEqual(await problems({ documents: [1, 2, 3] }), {
    documents: 'invalid_length',
    'documents.0': 'invalid_type',
    'documents.1': 'invalid_type',
    'documents.2': 'invalid_type',
  })
  assert.deepEqual(await problems({ destination: { payment_rail: 'doge' } }), {
    'destination.address': 'missing_field',
    'destination.payment_rail': 'invalid_value',
  })
  assert.deepEqual(await problems({ hours: 169 }), { hours: 'invalid_value' })
  assert.deepEqual(await problems({ note: 1 }), { note: 'invalid_type' })
  assert.deepEqual(await problems({ labels: { a: 1 } }), { 'labels.a': 'invalid_type' })
})

test('a field may bring its own code and its own words', async () => {
  const answer = await edge.call('POST', '/accounts', { ...good, developer_fee_percent: 0.5 })
  assert.equal(answer.body.error.code, 'invalid_developer_fee_percent')
  assert.equal(answer.body.error.message, 'developer_fee_percent must be a decimal string, not a number.')
})

test('a value of the wrong type is told the type, not the form that a text of it must have', async () => {
  const told = async (change: object) => {
    const { code, message } = (await edge.call('POST', '/accounts', { ...good, ...change })).body.error
    return [code, message]
  }
  assert.deepEqual(await told({ expiresAt: 5 }), ['invalid_type', 'expiresAt must be a string.'])
  assert.deepEqual(await told({ labels: { a: 1 } }), ['invalid_type', 'labels.a must be a string.'])
  assert.deepEqual(await told({ labels: { a: '\u0000' } }), [
    'invalid_format',
    'labels.a must be text of at most 500 characters, without NUL.',
  ])
})

test('an unknown field is answered with the known one that was meant', async () => {
  const cases = [
    [{ external_user_id: 'x' }, 'externalUserId'],
    [{ developerFeePercent: '1' }, 'developer_fee_percent'],
    [{ desination: {} }, 'destination'],
    [{ percent: '1' }, 'developer_fee_percent'],
    [{ destination: { ...good.destination, paymentRail: 'x' } }, 'destination.payment_rail'],
    [{ destination: { ...good.destination, adress: 'x' } }, 'destination.address'],
  ] as const
  for (const [change, meant] of cases) {
    const answer = await edge.call('POST', '/accounts', { ...good, ...change })
    const detail = answer.body.error.details.find((row: { code: string }) => row.code === 'unknown_field')
    assert.ok(detail.message.endsWith(`Did you mean \`${meant}\`?`), detail.message)
  }
  const far = await edge.call('POST', '/accounts', { ...good, colour: 1 })
  assert.equal(far.body.error.message, 'colour is not a known field.')
})

test('defaults are filled in, types are never changed, nothing is silently removed', async () => {
  assert.deepEqual((await edge.call('POST', '/accounts', good)).body, { ...good, hours: 24 })
  assert.deepEqual(await problems({ hours: '24' }), { hours: 'invalid_type' })
})

test('names of unknown fields are shortened and cleaned before they are repeated', async () => {
  const answer = await edge.call('POST', '/accounts', { ...good, [`\u0000\u001b[31m${'x'.repeat(500)}`]: 1 })
  const { param } = answer.body.error
  assert.ok(param.length <= 64)
  assert.doesNotMatch(param, /\p{C}/u)
})

test('however wrong a body is, the answer is bounded and repeats no value of it', async () => {
  const canary = 'CANARY-9f3b'
  const poisoned = fc.dictionary(
    fc.constantFrom(
      'externalUserId',
      'destination',
      'developer_fee_percent',
      'documents',
      'expiresAt',
      'note',
      'labels',
      'hours',
    ),
    fc.oneof(
      fc.constant(canary),
      fc.constant([canary]),
      fc.constant({ a: canary, type: canary, payment_rail: canary, purpose: canary }),
      fc.array(fc.oneof(fc.constant(canary), fc.record({ purpose: fc.constant(canary) })), { maxLength: 200 }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(poisoned, async (body) => {
      const answer = await edge.call('POST', '/accounts', body)
      assert.equal(answer.status, 400)
      assert.ok(!answer.text.includes(canary), answer.text)
      assert.ok(answer.body.error.details.length <= 50)
    }),
    { numRuns: 150 },
  )
  assert.ok(!JSON.stringify(edge.log).includes(canary))
})

test('query text is read as its schema says: numbers, booleans, lists', async () => {
  assert.deepEqual((await edge.call('GET', '/list')).body, { limit: 20 })
  assert.deepEqual((await edge.call('GET', '/list?limit=5&active=false&types=a,b')).body, {
    limit: 5,
    active: false,
    types: ['a', 'b'],
  })
})

test('a bad query is 400 invalid_query with every problem', async () => {
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=ten',
    'limit=1e1',
    'limit=',
    'limit=1&limit=2',
    'active=yes',
    'cursor=',
    'lmit=5',
  ]) {
    const answer = await edge.call('GET', `/list?${query}`)
    assert.equal(answer.status, 400, query)
    assert.equal(answer.body.error.code, 'invalid_query', query)
    assert.equal(answer.body.error.param, query.split('=')[0], query)
  }
  const both = await edge.call('GET', '/list?limit=0&active=yes')
  assert.deepEqual(both.body.error.details.map((row: { param: string }) => row.param).sort(), ['active', 'limit'])
})

test('a bad path parameter is 400 invalid_path in words', async () => {
  const answer = await edge.call('GET', '/accounts/eu_123')
  assert.equal(answer.status, 400)
  assert.equal(answer.body.error.code, 'invalid_path')
  assert.equal(answer.body.error.message, 'id must be an ID that starts with va_.')
})

test('a message says of a value what it is, and nothing that it is not', async () => {
  for (const [value, said] of [
    ['', 'not an empty text'],
    [null, 'not null'],
    [0.5, 'not a number'],
    [true, 'not true or false'],
    [[], 'not an array'],
    [{}, 'not an object'],
    ['half', undefined],
  ] as const) {
    const answer = await edge.call('POST', '/accounts', { ...good, developer_fee_percent: value })
    const told = answer.body.error.message
    const expected = `must be a decimal string${said === undefined ? '' : `, ${said}`}`
    assert.equal(told, `developer_fee_percent ${expected}.`)
  }
})

test('a time in a query whose plus sign became a blank is told how to write it', async () => {
  const messageOf = async (query: string) => (await edge.call('GET', `/list?${query}`)).body.error?.message
  for (const time of ['2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00.000+0200'])
    assert.match(await messageOf(`createdAfter=${time}`), /`\+` is written `%2B`\.$/)
  assert.equal(await messageOf('createdAfter=2026-01-01T00:00:00%2B02:00'), undefined)
  assert.doesNotMatch(await messageOf('createdAfter=yesterday'), /%2B/)
})
