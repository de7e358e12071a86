// A filter that matches no current event type causes a warning.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventSource, eventTypeWarnings } from './catalogue.rules.ts'

test('a name, or a prefix, is known if a chosen source has it', () => {
  const provider = ['customer.created', 'account.step.created']
  const warned = (names: readonly string[], ...sources: EventSource[]) =>
    eventTypeWarnings(names, sources, provider).map(({ param }) => param)
  const ofProvider = ['*', 'customer.created', 'customer.*', 'account.*', 'account.step.*']
  assert.deepEqual(warned(ofProvider, 'provider'), [])
  assert.deepEqual(warned(['customer', 'account.step', 'customer.created.*'], 'provider').length, 3)
  assert.deepEqual(warned(['customer.created'], 'causeway'), ['eventTypes.0'])
  const [warning] = eventTypeWarnings(['*', 'customer.craeted'], ['provider'], provider)
  assert.equal(warning?.param, 'eventTypes.1')
  assert.match(warning?.message ?? '', /Did you mean `customer\.created`/)
  const [far] = eventTypeWarnings(['xyzzyxyzzyxyzzyxyzzy'], ['provider'], provider)
  assert.doesNotMatch(far?.message ?? '', /Did you mean/)
})
