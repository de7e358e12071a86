// Links, KYC links, activity, webhooks and lists: what each tolerates, and that nothing but `WireError` leaves a reader.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson, readList, readUrl, WireError } from '../../http/fields.ts'
import { readActivity } from './activity.ts'
import { readCustomer, readCustomersOfEmail, readKycLink } from './customer.ts'
import { readVirtualAccount } from './virtual-account.ts'
import { readWebhook } from './webhook.ts'

test('a link is read bare or wrapped in data, from any host', () => {
  for (const url of [
    'https://dashboard.bridge.xyz/accept?session_token=1',
    'https://compliance.bridge.xyz/accept?t=1',
  ]) {
    assert.deepEqual(readUrl({ url }), { url })
    assert.deepEqual(readUrl({ data: { url } }), { url })
  }
})

test('a link that a browser should not open is refused', () => {
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'no link', ''])
    assert.throws(() => readUrl({ url }), WireError)
  assert.throws(() => readUrl({}), WireError)
})

test('a list is read with count, without count and bare', () => {
  assert.deepEqual(readList({ count: 1, data: [{ a: 1 }] }), [{ a: 1 }])
  assert.deepEqual(readList({ data: [] }), [])
  assert.deepEqual(readList([{ a: 1 }]), [{ a: 1 }])
  for (const body of [{}, null, { data: null }, { data: ['x'] }]) assert.throws(() => readList(body), WireError)
})

test('a body that is not JSON is refused without quoting it', () => {
  assert.throws(
    () => parseJson('{"number": 078-05-1120}'),
    (error) => error instanceof WireError && !error.message.includes('078') && error.cause === undefined,
  )
  assert.equal(parseJson(''), null)
})

test('a KYC link before completion has no customer', () => {
  const link = readKycLink({ id: 'kyc_1', kyc_status: 'not_started', tos_status: 'pending', customer_id: null })
  assert.deepEqual(link, {
    id: 'kyc_1',
    customerId: null,
    kycLink: null,
    tosLink: null,
    kycStatus: 'not_started',
    tosStatus: 'pending',
    rejectionReasons: [],
  })
  for (const body of [{}, { id: 'kyc_1' }, { id: 'kyc_1', kyc_status: 'approved' }])
    assert.throws(() => readKycLink(body), WireError)
})

const activityTime = '2025-11-19T21:14:58.328Z'

test('activity types of the prose page read as those of the schema, and new ones as they came', () => {
  const typeOf = (type?: string) => readActivity({ id: 'ev_1', ...(type && { type }) }, activityTime).activity.type
  assert.equal(typeOf('refunded'), 'refund')
  assert.equal(typeOf('refund'), 'refund')
  assert.equal(typeOf('reactivation'), 'activation')
  assert.equal(typeOf('refund_in_flight'), 'refund_in_flight')
  assert.equal(typeOf('brand_new'), 'brand_new')
  assert.equal(typeOf(), 'unknown')
})

test('an activity is read with its amounts, its origin and both its times', () => {
  const source = {
    payment_rail: 'sepa',
    sender_name: 'Ann',
    recipient_name: 'Bob',
    bic: 'COBADEFFXXX',
    bank_code: '40012',
    charge_bearer: 'sha',
    omad: 'o',
    trace_number: 't',
    imad: 'i',
    uetr: 'u',
    tracking_number: 'n',
    end_to_end_id: 'e',
  }
  const activity = readActivity(
    {
      id: 'ev_1',
      type: 'payment_processed',
      customer_id: 'cust_1',
      virtual_account_id: 'va_1',
      deposit_id: 'dep_1',
      amount: '1940.0',
      currency: 'EUR',
      developer_fee_amount: '20.0',
      exchange_fee_amount: '10.0',
      subtotal_amount: '1939.0',
      gas_fee: '0.5',
      destination_tx_hash: '0xdead',
      created_at: '2025-11-19T21:00:00.000Z',
      source,
      receipt: {
        initial_amount: '1970.0',
        pre_conversion_subtotal_amount: '1940.0',
        converted_amount: '1939.75',
        mid_market_rate: '1.09',
        final_amount: '1939.5',
        exchange_rate: '1.085',
        developer_fee: '21.0',
        exchange_fee: '9.0',
        subtotal_amount: '1940.0',
        gas_fee: '0.25',
      },
      refund: { code: 'R01', reason: 'closed', refunded_at: activityTime, risk_rejection_reason: 'hidden' },
    },
    activityTime,
  )
  assert.deepEqual(activity, {
    customerId: 'cust_1',
    virtualAccountId: 'va_1',
    depositId: 'dep_1',
    isAccountStep: false,
    activity: {
      id: 'ev_1',
      type: 'payment_processed',
      occurredAtMs: Date.parse('2025-11-19T21:00:00.000Z'),
      reportedAtMs: Date.parse(activityTime),
      amount: '1940.0',
      currency: 'eur',
      dollars: { developerFee: '20.0', exchangeFee: '10.0', subtotal: '1939.0', gasFee: '0.5' },
      receipt: {
        initial: '1970.0',
        developerFee: '21.0',
        exchangeFee: '9.0',
        preConversionSubtotal: '1940.0',
        converted: '1939.75',
        subtotal: '1940.0',
        gasFee: '0.25',
        final: '1939.5',
        exchangeRate: '1.085',
      },
      destinationTxHash: '0xdead',
      destinationPaymentRail: null,
      paymentRail: 'sepa',
      senderName: 'Ann',
      senderBic: 'COBADEFFXXX',
      senderBankCode: '40012',
      recipientName: 'Bob',
      chargeBearer: 'sha',
      references: { traceNumber: 't', trackingNumber: 'n', imad: 'i', endToEndId: 'e', uetr: 'u', omad: 'o' },
      refund: { code: 'R01', reason: 'closed', refundedAt: activityTime },
    },
  })
})

test('an activity needs no more than its id, and without one is none', () => {
  const { activity, ...ids } = readActivity({ id: 'ev_1' }, activityTime)
  assert.deepEqual(ids, { customerId: null, virtualAccountId: null, depositId: null, isAccountStep: false })
  assert.deepEqual([activity.id, activity.type], ['ev_1', 'unknown'])
  assert.equal(activity.occurredAtMs, Date.parse(activityTime))
  assert.equal(activity.amount, null)
  assert.equal(activity.refund, null)
  assert.equal(readActivity({ id: 'ev_1', created_at: 'soon' }, null).activity.occurredAtMs, 0)
  assert.throws(() => readActivity({ type: 'funds_received' }, activityTime), WireError)
})

test('a wire names its sender as originator, and a receipt stands in for the hash the step leaves out', () => {
  const { activity } = readActivity(
    {
      id: 'ev_1',
      source: { payment_rail: 'wire', originator_name: 'Ann' },
      receipt: { destination_tx_hash: '0x1' },
    },
    null,
  )
  assert.equal(activity.senderName, 'Ann')
  assert.equal(activity.destinationTxHash, '0x1')
})

test('a public key with literal \\n is a PEM with lines', () => {
  const lines = ['-----BEGIN PUBLIC KEY-----', 'QUJD', '-----END PUBLIC KEY-----', '']
  const keyOf = (public_key: unknown) =>
    readWebhook({ id: 'wep_tir8iiYS', url: 'https://a.b', status: 'disabled', public_key }).publicKey
  assert.equal(keyOf(lines.join('\\n')), lines.join('\n'))
  assert.equal(keyOf(lines.join('\r\n')), lines.join('\n'))
  assert.equal(keyOf(lines.join('\n').trim()), lines.join('\n'))
  assert.equal(keyOf(null), null)
})

test('whatever JSON comes, a reader returns or throws a WireError', () => {
  const name = fc.constantFrom(
    'id',
    'status',
    'data',
    'url',
    'endorsements',
    'requirements',
    'issues',
    'missing',
    'items',
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue(),
      fc.dictionary(name, tie('tree')),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }))
  const readers = [readCustomer, readKycLink, readVirtualAccount, readWebhook, readUrl, readList]
  const all = [
    ...readers,
    (body: unknown) => readCustomersOfEmail(body, 'a@b.c'),
    (body: unknown) => readActivity(body, activityTime),
  ]
  fc.assert(
    fc.property(tree, fc.constantFrom(...all), (body, read) => {
      try {
        read(body)
      } catch (error) {
        assert.ok(error instanceof WireError, String(error))
      }
    }),
    { numRuns: 500 },
  )
})

test('a link without a scheme is a web address, and one of another kind is no link', () => {
  const read = (kyc_link: string) =>
    readKycLink({ id: 'k', kyc_status: 'not_started', tos_status: 'pending', kyc_link }).kycLink
  assert.equal(read('bridge.withpersona.com/verify?a=b'), 'https://bridge.withpersona.com/verify?a=b')
  assert.equal(read('compliance.example:8443/terms'), 'https://compliance.example:8443/terms')
  assert.equal(read('//bridge.example/verify'), 'https://bridge.example/verify')
  assert.equal(read('http://127.0.0.1:80/x'), 'http://127.0.0.1:80/x')
  for (const other of ['javascript:alert(1)', 'data:text/html,x', 'mailto:a@example.com', ''])
    assert.equal(read(other), null)
  assert.deepEqual(readUrl({ url: 'dashboard.bridge.xyz/accept' }), { url: 'https://dashboard.bridge.xyz/accept' })
})

test('a number that JSON would round reads as null, wherever it is, and a text stays as it came', () => {
  const long = '1000.1234567890123456'
  const body = `{"amount": ${long}, "note": ", ${long}", "list": [1e400, 1.5e3, 123456789012345], "plain": 995.25}`
  assert.deepEqual(parseJson(body), {
    amount: null,
    note: `, ${long}`,
    list: [null, 1500, 123_456_789_012_345],
    plain: 995.25,
  })
})
