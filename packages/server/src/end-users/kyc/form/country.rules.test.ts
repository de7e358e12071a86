// What an address and an identity need, by country.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressRulesOf, identityRulesOf } from './country.rules.ts'
import { taxIdTypes } from './papers.rules.ts'

test('a subdivision is needed in the USA, and a postal code where there certainly are some', () => {
  for (const [country, subdivision, postal_code] of [
    ['USA', true, true],
    ['BRA', false, true],
    ['DEU', false, true],
    ['ARE', false, false],
    [undefined, false, false],
  ] as const)
    assert.deepEqual(addressRulesOf(country), { subdivision, postal_code }, country)
})

test('an identity is proven by the papers of its country, and one paper may serve as both outside the EEA alone', () => {
  const rules = (taxIdTypes: readonly string[], named: boolean, photo: boolean, both: boolean) => ({
    taxIdTypes,
    taxIdTypesNamed: named,
    photoIdRequired: photo,
    oneDocumentMayServeAsBoth: both,
  })
  const photoIds = ['passport', 'national_id']
  assert.deepEqual(identityRulesOf('USA'), rules(['ssn', 'itin'], true, false, false))
  assert.deepEqual(identityRulesOf('ARG'), rules(['cuil', 'cdi', 'other', ...photoIds], true, true, true))
  assert.deepEqual(identityRulesOf('ABW'), rules(['other', ...photoIds], true, true, true))
  assert.deepEqual(identityRulesOf('AUT'), rules(['si', 'other'], true, true, false))
  assert.deepEqual(identityRulesOf('DEU'), rules(taxIdTypes, false, true, false))
  for (const country of ['BRA', undefined])
    assert.deepEqual(identityRulesOf(country), rules([...taxIdTypes, ...photoIds], false, true, true))
})
