// Every delivery situation has a code, and a complete sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EndpointCode, type EndpointFacts, endpointCodes, explain, judge } from './explain.rules.ts'

const made = new Date('2026-01-01T00:00:00.000Z')
const later = new Date('2026-01-02T03:04:05.678Z')

const nothing: EndpointFacts = {
  endpointId: 'whe_1',
  url: 'https://example.com/',
  endpointStatus: 'enabled',
  disabledReason: null,
  eventTypes: ['*'],
  sources: ['provider', 'causeway'],
  endpointCreatedAt: made,
  endpointUpdatedAt: later,
  failures: 0,
  failingSince: null,
  isNewer: false,
  isWanted: true,
  deliveryId: null,
  sequence: null,
  deliveryStatus: null,
  attempts: null,
  lastOutcome: null,
  lastDetail: null,
  nextAttemptAt: null,
  isDue: false,
  finishedAt: null,
  heldBy: null,
  heldUntil: null,
  ahead: null,
}
const waiting: EndpointFacts = {
  ...nothing,
  deliveryId: 'dlv_1',
  sequence: 7,
  deliveryStatus: 'pending',
  attempts: 0,
  ahead: 0,
}
const failed: EndpointFacts = { ...waiting, attempts: 2, lastOutcome: 'http_500', nextAttemptAt: later, ahead: null }
const over: EndpointFacts = { ...waiting, attempts: 10, lastOutcome: 'timeout', finishedAt: later, ahead: null }
const gone = { url: null, endpointStatus: null, eventTypes: null, endpointCreatedAt: null, endpointUpdatedAt: null }
const time = '2026-01-02T03:04:05\\.678Z'

const cases: readonly (readonly [code: EndpointCode, facts: EndpointFacts, sentence: RegExp])[] = [
  [
    'delivered',
    { ...over, deliveryStatus: 'delivered', attempts: 3 },
    new RegExp(`^Delivered at ${time}, on attempt 3`),
  ],
  ['delivered', { ...over, ...gone, deliveryStatus: 'delivered' }, /^Delivered at/],
  ['due', waiting, /being sent/],
  ['due', { ...failed, isDue: true }, /being sent/],
  ['waiting_turn', { ...waiting, ahead: 1 }, /: 1 delivery of this endpoint come/],
  ['waiting_turn', { ...waiting, ahead: 50 }, /: 50 or more deliveries of this endpoint/],
  [
    'held_back',
    { ...waiting, heldBy: 'dlv_0', heldUntil: later },
    new RegExp(`blocked by dlv_0.*attempt is at ${time}`),
  ],
  ['retry_scheduled', failed, new RegExp(`^Attempt 2 ended with http_500\\. The next attempt is at ${time}`)],
  ['retry_scheduled', { ...failed, attempts: 0 }, new RegExp(`^The first attempt is at ${time}`)],
  ['probing', { ...waiting, failures: 10, failingSince: made }, /failed since 2026-01-01.*one delivery at a time/],
  ['probing', { ...failed, failures: 12, failingSince: made }, new RegExp(`not retry this delivery before ${time}`)],
  ['paused', { ...failed, endpointStatus: 'paused', failures: 10, failingSince: made }, /paused/],
  ['disabled', { ...waiting, endpointStatus: 'disabled', disabledReason: 'It said 410.' }, /disabled: It said 410\./],
  [
    'exhausted',
    { ...over, deliveryStatus: 'exhausted' },
    new RegExp(`Failed at ${time} after 10 attempts.*timeout.*retry`),
  ],
  [
    'exhausted',
    { ...over, deliveryStatus: 'exhausted', attempts: 1, lastDetail: 'It asked for none.' },
    /after 1 attempt; the last attempt ended with timeout\. It asked for none\. Resend/,
  ],
  ['cancelled', { ...over, deliveryStatus: 'cancelled' }, /^Canceled at/],
  ['filtered', { ...nothing, isWanted: false, eventTypes: ['a.*', 'b'] }, /subscribes to a\.\*, b, and the event is t/],
  ['filtered', { ...nothing, isWanted: false, eventTypes: [...'abcdefg'] }, /a, b, c, d, e and 2 more/],
  [
    'filtered',
    { ...nothing, isWanted: false, sources: ['causeway'] },
    /only events of causeway, and this event is of prov/,
  ],
  ['endpoint_newer', { ...nothing, isNewer: true, isWanted: false }, /created at 2026-01-01T00:00:00\.000Z, after/],
  ['never_queued', nothing, /did not subscribe to t when/],
  ['endpoint_deleted', { ...over, ...gone, deliveryStatus: 'cancelled', attempts: 1 }, /deleted.*after 1 attempt\./],
  ['endpoint_deleted', { ...over, ...gone, deliveryStatus: 'exhausted' }, /deleted/],
  ['endpoint_deleted', { ...waiting, ...gone }, /deleted/],
]

for (const [code, facts, sentence] of cases) {
  test(`${code}: ${sentence.source}`, () => {
    const explained = explain(facts, { type: 't', source: 'provider', isAddressed: false }, 50)
    assert.equal(explained.code, code)
    assert.match(explained.message, sentence)
    assert.ok(!/null|undefined|unknown time/.test(explained.message), explained.message)
  })
}

test('a test event went to another endpoint, which is no want of a subscription and no reason for a replay', () => {
  for (const facts of [nothing, { ...nothing, isNewer: true }, { ...nothing, isWanted: false }]) {
    const { code, message } = explain(facts, { type: 't', source: 'provider', isAddressed: true }, 50)
    assert.equal(code, 'not_addressed')
    assert.doesNotMatch(message, /subscribe|replay|after the event/)
  }
  assert.equal(explain(waiting, { type: 't', source: 'provider', isAddressed: true }, 50).code, 'due')
})

test('every code has a case here', () => {
  assert.deepEqual(new Set([...cases.map(([code]) => code), 'not_addressed']), new Set(endpointCodes))
})

test('of several endpoints what is under way counts before what has stopped, and that before what went well', () => {
  const verdict = (...codes: EndpointCode[]) => judge(codes).verdict
  assert.equal(verdict(), 'no_endpoint')
  assert.equal(verdict('filtered', 'endpoint_newer'), 'unwanted')
  assert.equal(verdict('filtered', 'delivered'), 'delivered')
  assert.equal(verdict('delivered', 'exhausted', 'filtered'), 'stopped')
  assert.equal(verdict('delivered', 'exhausted', 'paused'), 'under_way')
})
