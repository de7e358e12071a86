// The table of countries: a row for each, numbers that their countries have, and forms that an independent library agrees with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stdnum } from 'stdnum'
import { countries as providerCountries } from '../../sandbox/src/bridge/lists/countries.ts'
import { readPostalCode, readSubdivision } from '../src/addresses.ts'
import { countryCodes } from '../src/countries/codes.ts'
import { addressFormOf } from '../src/countries/country.ts'
import { countryRows } from '../src/countries/country-rows.ts'
import { formsByIssuer, issuerOf, numberKinds } from '../src/countries/number-kinds.ts'
import { isBroken } from '../src/reading.ts'
import { readTaxNumber } from '../src/tax-numbers.ts'

test('every country has a row, and every row a country', () => {
  assert.deepEqual([...countryRows.keys()].sort(), [...countryCodes.keys()].sort())
  for (const [country, { people, companies }] of countryRows) {
    assert.ok(people.length >= 2 && people.length <= 4 && companies.length >= 1, country)
    assert.equal(new Set(people).size, people.length, country)
  }
})

test('a usual number is of its country, of the country that it belongs to, or of any', () => {
  const parents: Readonly<Record<string, string>> = {
    ...{ ALA: 'FIN', ASM: 'USA', GUM: 'USA', MHL: 'USA', MNP: 'USA', PRI: 'USA', VIR: 'USA', IMN: 'GBR', SJM: 'NOR' },
    ...{ BLM: 'FRA', GLP: 'FRA', GUF: 'FRA', MAF: 'FRA', MTQ: 'FRA', MYT: 'FRA', REU: 'FRA', SPM: 'FRA', GRL: 'DNK' },
    ...{ CCK: 'AUS', CXR: 'AUS', NFK: 'AUS' },
  }
  for (const [country, { people, companies }] of countryRows)
    for (const kind of [...people, ...companies]) {
      const { issuers } = numberKinds[kind] ?? assert.fail(`${kind} has no name`)
      if (issuers.length === 0) continue
      const home = issuers.includes(country) ? country : (parents[country] ?? '')
      assert.ok(issuers.includes(home), `${kind} in ${country}`)
    }
  assert.equal(issuerOf('ssn', 'ARE'), 'USA')
  assert.equal(issuerOf('cpr', 'BHR'), 'BHR')
  assert.equal(issuerOf('cpr', 'ARE'), undefined)
  assert.equal(issuerOf('passport', 'ARE'), undefined)
})

test('an example of a postal code and each subdivision of a country are read as they are', () => {
  for (const country of countryCodes.keys()) {
    const form = addressFormOf(country)
    const { example } = form.postalCode ?? {}
    if (example) assert.deepEqual(readPostalCode(example, form), { value: example.toUpperCase() }, country)
    const list = form.subdivision?.list ?? []
    // Two of a country can have one name: a town and what is around it.
    const isAlone = (name: string) => list.filter((each) => each[1] === name).length === 1
    for (const [code, name] of list.filter(([, each]) => isAlone(each)))
      for (const text of [code, name])
        assert.deepEqual(readSubdivision(text, form), { value: code }, `${country} ${text}`)
  }
})

/** Our kinds and their countries, by the validators of the library. */
const validators: Readonly<Record<string, string>> = {
  ...{ 'abn AUS': 'abn', 'acn AUS': 'acn', 'tfn AUS': 'tfn', 'cnpj BRA': 'cnpj', 'cpf BRA': 'cpf', 'sin CAN': 'sin' },
  ...{ 'rut CHL': 'rut', 'cpr DNK': 'cpr', 'cvr DNK': 'cvr', 'nie ESP': 'nie', 'nif ESP': 'dni', 'ik EST': 'ik' },
  ...{ 'siren FRA': 'siren', 'siret FRA': 'siret', 'spi FRA': 'nif', 'utr GBR': 'utr', 'nino GBR': 'nino' },
  ...{ 'oib HRV': 'oib', 'pan IND': 'pan', 'cf ITA': 'codicefiscale', 'partita_iva ITA': 'iva' },
  ...{ 'rrn KOR': 'rrn', 'brn KOR': 'brn', 'bsn NLD': 'bsn', 'ird NZL': 'ird', 'pesel POL': 'pesel', 'nip POL': 'nip' },
  ...{
    'regon POL': 'regon',
    'nif PRT': 'nif',
    'nipc PRT': 'nipc',
    'cnp ROU': 'cnp',
    'inn RUS': 'inn',
    'uen SGP': 'uen',
  },
  ...{ 'orgnr SWE': 'orgnr', 'pin SWE': 'personnummer', 'orgnr NOR': 'orgnr', 'tin NOR': 'fodselsnummer' },
  ...{
    'tckn TUR': 'tckimlik',
    'vkn TUR': 'vkn',
    'ssn USA': 'ssn',
    'ein USA': 'ein',
    'cuit ARG': 'cuit',
    'nrn BEL': 'nn',
  },
  ...{
    'steuer_id DEU': 'idnr',
    'ak LTU': 'asmens',
    'ucn BGR': 'egn',
    'ico CZE': 'ico',
    'rc CZE': 'rc',
    'rc SVK': 'rc',
  },
  ...{
    'y_tunnus FIN': 'ytunnus',
    'ppsn IRL': 'pps',
    'mst VNM': 'mst',
    'rif VEN': 'rif',
    'pin KEN': 'pin',
    'npwp IDN': 'npwp',
  },
  ...{ 'ruc PER': 'ruc', 'nuit MOZ': 'nuit', 'hkid HKG': 'hkid', 'rnc DOM': 'rnc', 'cedula_juridica CRI': 'cpj' },
  ...{ 'nrt AND': 'nrt', 'nipt ALB': 'nipt', 'idno MDA': 'idno', 'gui TWN': 'ubn', 'edrpou UKR': 'edrpou' },
  ...{
    'rnokpp UKR': 'rntrc',

    'pib SRB': 'pib',
    'nit SLV': 'nit',
    'ahv CHE': 'ssn',
    'jmbg SRB': 'jmbg',
  },
}

test('what the library takes as a number fits our form', () => {
  const wrong: string[] = []
  for (const [place, validator] of Object.entries(validators)) {
    const [kind = '', issuer = ''] = place.split(' ')
    const library = stdnum[countryCodes.get(issuer) ?? '']?.[validator]
    assert.ok(library, `no validator ${validator} of ${issuer}`)
    const forms = formsByIssuer[place] ?? numberKinds[kind]?.forms ?? []
    assert.ok(forms.length > 0, place)
    // Numbers of the forms are drawn until the library takes one: a form of a wrong length or kind gives none.
    const drawn = fc.sample(fc.constantFrom(...forms).chain(numberOf), { numRuns: 6_000, seed: 1 })
    const taken = drawn.find((number) => [number, compact(number)].some((text) => library.validate(text).isValid))
    if (taken === undefined) {
      wrong.push(`${place}: none of ${forms.join(', ')} is a number for the library`)
      continue
    }
    assert.ok(!isBroken(readTaxNumber(taken, { name: kind, forms })))
    assert.ok(isBroken(readTaxNumber(`${taken}0000000000000`, { name: kind, forms })))
  }
  assert.deepEqual(wrong, [])
})

const numberOf = (form: string) =>
  fc.tuple(...[...form].map((sign) => fc.constantFrom(...(signs[sign] ?? [sign])))).map((drawn) => drawn.join(''))

const compact = (number: string): string => number.replace(/[ .()/-]/g, '')

const digits = [...'0123456789']
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const signs: Readonly<Record<string, readonly string[]>> = { d: digits, a: letters, x: [...digits, ...letters] }

test('the provider takes each postal code and subdivision that we offer, in the countries that its emulator lists', () => {
  for (const { alpha3, postal_code_format: format, subdivisions } of providerCountries) {
    const { postalCode, subdivision } = addressFormOf(alpha3)
    const listed = subdivisions.map(({ code }) => code)
    const offered = subdivision?.list.map(([code]) => code) ?? []
    if (listed.length > 0)
      assert.deepEqual(
        offered.filter((code) => !listed.includes(code)),
        [],
        alpha3,
      )
    if (format === undefined) continue
    assert.match(postalCode?.example ?? '', new RegExp(format.replace('\\A', '^').replace('\\z', '$')), alpha3)
  }
})
