// Whether a submission says that somebody lives, or works, in the EEA.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eeaPresenceOf, presenceIn } from './eea.rules.ts'

test('a person is where they live, a company where it is registered and where it operates', () => {
  const [german, american] = [{ country: 'deu' }, { country: 'USA' }]
  const person = {
    type: 'individual',
    residential_address: german,
    registered_address: american,
    physical_address: german,
  }
  assert.deepEqual(eeaPresenceOf(person), { residesInEea: true })
  const company = {
    type: 'business',
    residential_address: german,
    registered_address: american,
    physical_address: german,
  }
  assert.deepEqual(eeaPresenceOf(company), { residesInEea: false, operatesInEea: true })
})

test('an address that is not named changes nothing', () => {
  for (const address of [undefined, 'Berlin', {}, { country: 7 }]) {
    const named = address === undefined ? {} : { registered_address: address, physical_address: address }
    assert.deepEqual(eeaPresenceOf({ type: 'business', ...named }), {})
  }
  assert.deepEqual(eeaPresenceOf({ type: 'individual' }), {})
  assert.deepEqual(presenceIn(null), {})
  assert.deepEqual(presenceIn({ presence: { residesInEea: true } }), { residesInEea: true })
})
