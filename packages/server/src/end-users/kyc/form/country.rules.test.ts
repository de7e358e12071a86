// Needs of an address and an identity, by country.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../platform/values/json.ts'
import { addressRulesOf, identityRulesOf, type KycType, needsOf } from './country.rules.ts'
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
  // The usual kinds of a country come first.
  const sorted = (found: ReturnType<typeof rules>) => ({ ...found, taxIdTypes: found.taxIdTypes.toSorted() })
  assert.deepEqual(identityRulesOf('USA'), rules(['ssn', 'itin'], true, false, false))
  assert.deepEqual(identityRulesOf('ARG'), rules(['cuil', 'cdi', 'national_id', 'other', 'passport'], true, true, true))
  assert.deepEqual(identityRulesOf('ABW'), rules(['other', ...photoIds], true, true, true))
  assert.deepEqual(identityRulesOf('AUT'), rules(['si', 'other'], true, true, false))
  assert.deepEqual(sorted(identityRulesOf('DEU')), sorted(rules(taxIdTypes, false, true, false)))
  for (const country of ['BRA', undefined])
    assert.deepEqual(sorted(identityRulesOf(country)), sorted(rules([...taxIdTypes, ...photoIds], false, true, true)))
})

test('the list of needs says which parts of an address every body needs, and when the others are needed', () => {
  const partsOf = (type: KycType, country: string | undefined, property: string) =>
    needsOf(type, country)
      .filter(({ field }) => field.startsWith(property))
      .map(({ field, required, rule }) => [field.replace(`${property}.`, ''), required, rule !== undefined])
  const always = ['street_line_1', 'city', 'country'].map((part) => [part, 'always', false])
  for (const [type, country, property, ...parts] of [
    ['individual', 'USA', 'residential_address', ['subdivision', 'always', false], ['postal_code', 'always', false]],
    ['individual', 'DEU', 'residential_address', ['postal_code', 'always', false]],
    ['individual', 'ARE', 'residential_address', ['postal_code', 'conditional', true]],
    ['business', 'DEU', 'registered_address', ['postal_code', 'always', false]],
    // This address may be in another country.
    [
      ...(['business', 'DEU', 'physical_address'] as const),
      ['subdivision', 'conditional', true],
      ['postal_code', 'always', true],
    ],
  ] as const)
    assert.deepEqual(partsOf(type, country, property), [...always, ...parts], `${country} ${property}`)
})

test('an entry of a list counts only if it is what is needed', () => {
  const isMet = (name: string, body: JsonObject) =>
    needsOf('business', 'USA')
      .find(({ requirement }) => requirement === name)
      ?.isMet(body)
  const rows: [string, JsonObject, boolean][] = [
    ['control_person', { associated_persons: [{ has_control: true }] }, true],
    ['control_person', { associated_persons: [{ has_control: false }, {}, 'Ada'] }, false],
    ['business_formation_document', { documents: [{ purposes: ['other', 'business_formation'] }] }, true],
    [
      'business_formation_document',
      { documents: [{ purposes: ['other'] }, { purposes: 'business_formation' }] },
      false,
    ],
    ['business_industry', { business_industry: [] }, false],
  ]
  for (const [name, body, expected] of rows) assert.equal(isMet(name, body), expected, JSON.stringify(body))
})
