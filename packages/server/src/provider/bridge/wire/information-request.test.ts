// Proves what is read of a request for information, and that what it says about people is neither read nor forwarded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../platform/values/json.ts'
import { events } from '../events.ts'
import { readInformationRequest, readInformationRequests } from './information-request.ts'

const secret = 'Ada Lovelace, DE89370400440532013000'
const rfi: JsonObject = {
  id: 'rfi_7k2',
  state: 'on_developer',
  developer_id: 'dev_1',
  customer_id: 'cust_1',
  referent_type: 'deposit',
  referent_id: 'deposit_1',
  context: { customer_name: secret, custom_body: secret },
  bridge_action_taken: 'transaction_paused',
  expected_action_on_expiry: 'pause_customer',
  deadline: '2026-12-01T00:00:00Z',
  requested_items: [{ content: secret }],
  dashboard_url: 'https://dashboard.bridge.xyz/rfis/rfi_7k2',
  state_changed_at: null,
  closed_at: null,
  created_at: '2026-11-24T00:00:00Z',
}

test('a request in our words, without what it says about people', () => {
  const read = readInformationRequest(rfi)
  assert.deepEqual(read, {
    id: 'rfi_7k2',
    state: 'action_required',
    customerId: 'cust_1',
    referentType: 'deposit',
    depositId: 'deposit_1',
    deadline: new Date('2026-12-01T00:00:00Z'),
    actionTaken: 'transaction_paused',
    actionAtDeadline: 'pause_customer',
    dashboardUrl: 'https://dashboard.bridge.xyz/rfis/rfi_7k2',
    openedAt: new Date('2026-11-24T00:00:00Z'),
    stateChangedAt: null,
    closedAt: null,
  })
})

test('absent, null and unknown members are tolerated, and only words are taken as words', () => {
  const bare = readInformationRequest({ id: 'rfi_1' })
  assert.deepEqual([bare.state, bare.deadline, bare.depositId, bare.dashboardUrl], [null, null, null, null])
  const odd = readInformationRequest({ ...rfi, state: 'on_customer', bridge_action_taken: secret, deadline: 'soon' })
  assert.deepEqual([odd.state, odd.actionTaken, odd.deadline], [null, null, null])
  assert.equal(readInformationRequest({ ...rfi, referent_type: 'transfer' }).depositId, null)
  assert.equal(readInformationRequest({ ...rfi, dashboard_url: 'javascript:alert(1)' }).dashboardUrl, null)
  assert.equal(readInformationRequests({ data: [rfi, { state: 'closed' }] }).length, 1)
})

const event = (fields: JsonObject): JsonObject => ({
  api_version: 'v0',
  event_id: 'wh_1',
  event_sequence: 7,
  event_category: 'rfi',
  event_type: 'rfi.created',
  event_object_id: 'rfi_7k2',
  event_object_status: 'on_developer',
  event_object: rfi,
  event_object_changes: { context: [null, { customer_name: secret }] },
  data: { note: secret },
  ...fields,
})

test('an event of any suffix is one about a request, and is forwarded with ids, words and times alone', () => {
  for (const fields of [
    {},
    { event_type: 'rfi.updated.status_transitioned' },
    { event_category: null, event_type: 'rfi.expired' },
    { event_category: 'RFI.updated', event_type: 'updated' },
    { event_category: 'customer', event_type: 'rfi.created' },
    { event_category: 'rfi', event_type: 'customer.updated' },
    { event_object: { ...rfi, state: { text: secret } } },
  ] as JsonObject[]) {
    const body = event(fields)
    const read = events.read(body)
    assert.equal(read.about, 'information_request')
    assert.equal(read.informationRequest?.id, 'rfi_7k2')
    const forwarded = events.forwarded(read, body, Buffer.from(JSON.stringify(body))).toString()
    for (const gone of ['Lovelace', 'DE89', 'dashboard', 'context', 'requested_items'])
      assert.ok(!forwarded.includes(gone), `${gone} in ${forwarded}`)
    for (const kept of ['wh_1', 'rfi_7k2', 'cust_1', 'deposit_1', '2026-12-01'])
      assert.ok(forwarded.includes(kept), kept)
  }
})

test('any other event is forwarded byte for byte', () => {
  const raw = Buffer.from('{ "event_id" : "wh_2","event_type":"customer.updated", "note":"rfi.created"}')
  const read = events.read(JSON.parse(raw.toString()))
  assert.equal(read.informationRequest, null)
  assert.equal(events.forwarded(read, JSON.parse(raw.toString()), raw), raw)
})
