// Subdivisions, postal codes and numbers by their country, as a submission takes them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../platform/values/json.ts'
import { problemsByCountry } from './by-country.rules.ts'

function checked(body: JsonObject): JsonObject | string[] {
  const problems = problemsByCountry(body)
  return problems.length === 0 ? body : problems.map(({ code, param }) => `${code} ${param}`)
}

const address = (country: string, parts: JsonObject) => ({
  street_line_1: '1 Main Street',
  city: 'Town',
  country,
  ...parts,
})

test('a subdivision is sent as its code, and one of no such country is refused', () => {
  const sent = (country: string, subdivision: string) => {
    const found = checked({ residential_address: address(country, { subdivision }) })
    return Array.isArray(found) ? found.join() : (found['residential_address'] as JsonObject)['subdivision']
  }
  assert.equal(sent('CAN', 'Ontario'), 'ON')
  assert.equal(sent('CAN', 'québec'), 'QC')
  assert.equal(sent('USA', 'us-tx'), 'TX')
  assert.equal(sent('ESP', 'MD'), 'MD', 'a code of another level')
  assert.equal(sent('FRA', 'idf'), 'IDF', 'a country whose addresses name none')
  assert.equal(sent('USA', 'ZZ'), 'invalid_value residential_address.subdivision')
  assert.equal(sent('CAN', 'Ont'), 'invalid_value residential_address.subdivision')
  assert.equal(sent('FRA', 'ENGL'), 'invalid_value residential_address.subdivision')
})

test('a postal code has the form of its country, with or without its space', () => {
  const found = (country: string, postal_code: string) =>
    checked({ residential_address: address(country, { postal_code }) })
  for (const [country, code] of [
    ['CAN', 'h3z 2y7'],
    ['CAN', 'H3Z2Y7'],
    ['GBR', 'EC1Y8SY'],
    ['NLD', '1234 AB'],
    ['HKG', 'none'],
  ])
    assert.ok(!Array.isArray(found(country as string, code as string)), `${country} ${code}`)
  assert.deepEqual(found('DEU', '1234'), ['invalid_format residential_address.postal_code'])
})

test('a number has the form of its kind, also of somebody of a company', () => {
  const number = (type: string, issuing_country: string, number: string) => ({ type, issuing_country, number })
  const found = (entry: JsonObject) => checked({ identifying_information: [entry] })
  assert.deepEqual(found(number('ssn', 'usa', '78-05-1120')), ['invalid_format identifying_information[0].number'])
  for (const [type, issuer, text] of [
    ['ssn', 'usa', '219-09-9999'],
    ['ssn', 'usa', '219099999'],
    ['cpr', 'DNK', '010190-1234'],
    ['cpr', 'BHR', '900101123'],
    ['tin', 'NGA', 'whatever'],
    ['passport', 'IND', 'K 123'],
    ['rfc', 'MEX', 'ÑAÑA800101AB1'],
  ] as const)
    assert.ok(!Array.isArray(found(number(type, issuer, text))), `${type} ${text}`)
  const people = [{ identifying_information: [number('pan', 'IND', 'ABCDE1234')] }]
  assert.ok(
    (checked({ type: 'business', associated_persons: people }) as string[]).includes(
      'invalid_format associated_persons[0].identifying_information[0].number',
    ),
  )
})
