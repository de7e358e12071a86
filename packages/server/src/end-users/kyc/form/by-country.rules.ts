// Rules that depend on the country next to a field: subdivisions and postal codes of addresses, and numbers by their
// type.

import { readPostalCode, readSubdivision } from '../../../../../forms/src/addresses.ts'
import { addressFormOf } from '../../../../../forms/src/countries/country.ts'
import { numberKindOf } from '../../../../../forms/src/countries/number-kinds.ts'
import { isBroken, type Reading } from '../../../../../forms/src/reading.ts'
import { readTaxNumber } from '../../../../../forms/src/tax-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { codeOf } from './country.rules.ts'
import type { Problem } from './form.rules.ts'
import { violationOf } from './written.rules.ts'

const addresses = ['residential_address', 'registered_address', 'physical_address'].flatMap((name) => [
  name,
  `transliterated_${name}`,
])

/**
 * Checks fields against their countries, and replaces values for the provider: the name of a subdivision by its code.
 * @param body with valid fields
 */
export function problemsByCountry(body: JsonObject): Problem[] {
  const people = Array.isArray(body['associated_persons']) ? body['associated_persons'] : []
  const parties: [place: string, party: Json][] = [
    ['', body],
    ...people.map((person, at) => [`associated_persons[${at}].`, person] as [string, Json]),
  ]
  return parties.flatMap(([place, party]) => (isJsonObject(party) ? problemsOfParty(party, place) : []))
}

function problemsOfParty(party: JsonObject, place: string): Problem[] {
  const identifications = Array.isArray(party['identifying_information']) ? party['identifying_information'] : []
  return [
    ...addresses.flatMap((name) => problemsOfAddress(party[name], `${place}${name}`)),
    ...identifications.flatMap((one, at) => problemsOfNumber(one, `${place}identifying_information[${at}]`)),
  ]
}

function problemsOfAddress(address: Json | undefined, place: string): Problem[] {
  if (!isJsonObject(address)) return []
  const form = addressFormOf(codeOf(address['country']))
  return [
    ...replaced(address, 'subdivision', place, (text) => readSubdivision(text, form)),
    ...replaced(address, 'postal_code', place, (text) => readPostalCode(text, form)),
  ]
}

function problemsOfNumber(identification: Json, place: string): Problem[] {
  if (!isJsonObject(identification)) return []
  const { type, issuing_country } = identification
  const kind = numberKindOf(typeof type === 'string' ? type : '', codeOf(issuing_country))
  return replaced(identification, 'number', place, (text) => readTaxNumber(text, kind))
}

function replaced(holder: JsonObject, member: string, place: string, read: (text: string) => Reading): Problem[] {
  const text = holder[member]
  if (typeof text !== 'string') return []
  const reading = read(text)
  if (!isBroken(reading)) {
    holder[member] = reading.value
    return []
  }
  const [code, rule] = violationOf(reading)
  const param = `${place}.${member}`
  return [{ param, code, message: `${param} ${rule}.` }]
}
