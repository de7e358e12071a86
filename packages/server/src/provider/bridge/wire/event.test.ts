// Reading a provider's event: its category, every possible owner, and a deposit's step.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, type JsonObject } from '../../../platform/values/json.ts'
import { categoryOf, readEvent } from './event.ts'

const told = '2025-11-19T21:14:58.328Z'

function event(category: string, object: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    api_version: 'v0',
    event_id: 'wh_t8TAhPPYrRV2v8Asi9ed3sw',
    event_category: category,
    event_type: `${category}.created`,
    event_object_id: object['id'] ?? null,
    event_object: object,
    event_object_changes: {},
    event_created_at: told,
    ...more,
  }
}

test('the step of a deposit is read with its owner, and told at the time of the event', () => {
  const step = {
    id: 'act_1',
    type: 'payment_submitted',
    customer_id: 'cust_1',
    virtual_account_id: 'va_1',
    deposit_id: 'd_1',
  }
  const read = readEvent(event('virtual_account.activity', step))
  assert.equal(read.about, 'deposit')
  assert.equal(read.customerId, 'cust_1')
  assert.equal(read.activity?.depositId, 'd_1')
  assert.equal(read.activity?.activity.reportedAtMs, Date.parse(told))
  assert.deepEqual(new Set(read.hints.refs), new Set(['cust_1', 'va_1', 'act_1']))
})

test('a customer is its own owner; a KYC link names its customer once there is one', () => {
  const customer = readEvent(event('customer', { id: 'cust_1', status: 'active', client_reference_id: 'eu_1' }))
  assert.equal(customer.customerId, 'cust_1')
  assert.ok(customer.hints.refs.includes('eu_1'))
  const link = readEvent(event('kyc_link', { id: 'kyc_1', customer_id: null }))
  assert.deepEqual(link.named.hostedPages, ['kyc_1'])
  assert.equal(link.customerId, null)
  assert.equal(readEvent(event('kyc_link', { id: 'kyc_1', customer_id: 'cust_1' })).customerId, 'cust_1')
})

test('a step of a history is about the account, unless it may move money', () => {
  for (const type of ['account_update', 'activation', 'deactivation', 'reactivation'])
    assert.equal(readEvent(event('virtual_account.activity', { id: 'act_1', type })).about, 'account', type)
  for (const type of ['funds_received', 'a_word_of_next_year', null])
    assert.equal(readEvent(event('virtual_account.activity', { id: 'act_1', type })).about, 'deposit', String(type))
})

test('events with names or addresses of people are about people', () => {
  const aboutPeople = [
    'customer',
    'kyc_link',
    'virtual_account',
    'virtual_account.activity',
    'rfi',
    'transfer',
    'x',
  ].filter((category) => readEvent(event(category, { id: 'x_1' })).isAboutPeople)
  assert.deepEqual(aboutPeople, ['customer', 'kyc_link'])
})

test('what the provider can be asked about is told by what it is, wherever it stands', () => {
  const none = { customers: [], hostedPages: [], accounts: [], activities: [] }
  const cases: [JsonObject, Record<string, string[]>][] = [
    [event('customer', { id: 'cust_1' }), { customers: ['cust_1'] }],
    [event('kyc_link', { id: 'kyc_1' }), { hostedPages: ['kyc_1'] }],
    [event('virtual_account', { id: 'va_1', customer_id: 'cust_1' }), { customers: ['cust_1'], accounts: ['va_1'] }],
    [event('virtual_account.activity', { id: 'act_1', deposit_id: 'd_1' }), { activities: ['d_1', 'act_1'] }],
    [event('transfer', { id: 't_1', on_behalf_of: 'cust_1' }), { customers: ['cust_1'] }],
    [
      event('x', {}, { data: { kyc_link_id: 'kyc_1' }, virtual_account_id: 'va_1' }),
      { hostedPages: ['kyc_1'], accounts: ['va_1'] },
    ],
    [event('x', { id: 'x_1' }, { external_user_id: 'ada' }), {}],
  ]
  for (const [body, named] of cases) assert.deepEqual(readEvent(body).named, { ...none, ...named })
})

test('the category is read off the type when it is not named, and is open', () => {
  const unnamed = { event_category: null }
  for (const mutation of ['created', 'updated', 'updated.status_transitioned', 'deleted', 'canceled']) {
    const body = event('', {}, { ...unnamed, event_type: `liquidation_address.drain.${mutation}` })
    assert.equal(categoryOf(body), 'liquidation_address.drain')
  }
  assert.equal(readEvent(event('rfi', {}, { event_type: 'created' })).about, 'information_request')
})

test('an activity without an id is an event without a step', () => {
  assert.equal(readEvent(event('virtual_account.activity', { type: 'funds_received' })).activity, null)
})

test('an event is read whatever stands in it', () => {
  const name = fc.constantFrom(
    'event_category',
    'event_object',
    'event_type',
    'data',
    'id',
    'customer_id',
    'external_user_id',
  )
  const body = fc.dictionary(
    name,
    fc.oneof(fc.constant('virtual_account.activity'), fc.jsonValue(), fc.dictionary(name, fc.jsonValue())),
  )
  fc.assert(
    fc.property(body, (value) => {
      assert.ok(isJsonObject(value))
      assert.equal(typeof readEvent(value).about, 'string')
    }),
    { numRuns: 500 },
  )
})
