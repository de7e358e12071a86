// Phone numbers as people write them at home and abroad, in every country.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryCodes } from '../src/countries/codes.ts'
import { readPhone } from '../src/phone.ts'

const numbersOfLondon = [
  '+44 (0)20 7946 0000',
  '+442079460000',
  '0044 20 7946 0000',
  '\u202a+44\u00a020\u00a07946\u00a00000\u202c',
]

test('an international number reads the same in every country, those without a number plan included', () => {
  for (const country of [...countryCodes.values(), undefined])
    for (const written of numbersOfLondon)
      assert.deepEqual(readPhone(written, country), { value: '+442079460000' }, `${written} in ${country}`)
})

test('the international prefix that a country dials is read there', () => {
  const dialed = { AU: '0011', BR: '0021', JP: '010', KR: '002', RU: '8 10', US: '011', GB: '00' }
  for (const [country, prefix] of Object.entries(dialed))
    assert.deepEqual(readPhone(`${prefix} 44 20 7946 0000`, country), { value: '+442079460000' }, country)
})

test('a number of the country may be written as it is dialed at home', () => {
  const atHome = {
    DE: ['030 123456', '+4930123456'],
    GB: ['020 7946 0000', '+442079460000'],
    IT: ['06 698 1234', '+39066981234'],
    US: ['(222) 333-4444', '+12223334444'],
  } as const
  for (const [country, [written, value]] of Object.entries(atHome))
    assert.deepEqual(readPhone(written, country), { value }, country)
  assert.deepEqual(readPhone('20 7946 0000', 'TF'), { rule: 'phoneCountryCode' })
})
