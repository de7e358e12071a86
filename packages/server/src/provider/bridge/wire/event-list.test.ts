// The provider's event log: each item's own bytes, whatever is in and around them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonValues } from '../../../../test/json-values.ts'
import { WireError } from '../../http/fields.ts'
import { readEventList } from './event-list.ts'

const answeredAt = 'Sat, 01 Mar 2026 10:00:00 GMT'

function rawBodies(answer: string): string[] {
  return readEventList(JSON.parse(answer), answeredAt, answer).events.map(({ rawBody }) => rawBody.toString())
}

test('an event keeps its bytes: blanks, escapes, the order of members, numbers as they were written', () => {
  const written = [
    '{"event_id":"wh_1","n":1.50,"e":1E2,"s":"\\u00e9 \\"}]\\" \\\\"}',
    '{ "z": [ {"data": ["]"]} ], "event_id" : "wh_2",\n "a": {} }',
  ]
  assert.deepEqual(
    rawBodies(`{"count": 2, "data": [ ${written.join(' ,\n')} ] , "more": [{"event_id":"no"}]}`),
    written,
  )
  assert.deepEqual(rawBodies(`[${written.join(',')}]`), written)
})

test('whatever JSON an event holds, its bytes are those of the answer', () => {
  const indent = fc.constantFrom(undefined, 1, '\t')
  const events = fc.array(fc.record({ event_id: fc.string({ minLength: 1 }), rest: jsonValues() }), { maxLength: 5 })
  fc.assert(
    fc.property(events, jsonValues(), indent, (list, beside, space) => {
      const answer = `{"beside":${JSON.stringify(beside, null, space)},"data":[${list.map((item) => JSON.stringify(item, null, space)).join(' , ')}]}`
      assert.deepEqual(
        rawBodies(answer),
        list.map((item) => JSON.stringify(item, null, space)),
      )
    }),
  )
})

test('where slicing and parsing could differ, the parser is believed', () => {
  const event = '{ "event_id": "wh_1" }'
  assert.deepEqual(rawBodies(`{"d\\u0061ta":[${event}]}`), ['{"event_id":"wh_1"}'])
  assert.deepEqual(rawBodies(`{"data":[${event},${event}],"data":[${event}]}`), [event])
  assert.deepEqual(rawBodies(`{"data":[${event}],"d\\u0061ta":[{ "event_id": "wh_2" }]}`), ['{"event_id":"wh_2"}'])
})

test('an event tells its time where it has one, and one without an id is passed over', () => {
  const body = [
    { event_id: 'wh_1', event_created_at: '2026-03-01T09:00:00.000Z' },
    { event_created_at: '2026-03-01T09:00:00.000Z' },
    { event_id: 'wh_3', event_created_at: 7 },
  ]
  const { events, answeredAtMs } = readEventList(body, answeredAt, JSON.stringify(body))
  assert.deepEqual(
    events.map(({ eventId, createdAtMs }) => [eventId, createdAtMs]),
    [
      ['wh_1', Date.parse('2026-03-01T09:00:00.000Z')],
      ['wh_3', null],
    ],
  )
  assert.equal(answeredAtMs, Date.parse('2026-03-01T10:00:00.000Z'))
})

test('an answer that is no list is refused', () => {
  for (const body of [{}, { data: {} }, { data: ['x'] }, 'x', null])
    assert.throws(() => readEventList(body, null, JSON.stringify(body)), WireError)
})
