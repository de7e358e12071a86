// Invented people and companies of any country: names with accents, apostrophes and in two scripts, documents and operations of
// another country, and phone numbers in five written forms. The same number draws the same party.

import fc from 'fast-check'
import { countryCodes } from '../../forms/src/countries/codes.ts'
import type { Answers } from './driver.ts'

const countries = [...countryCodes.keys()].sort()

const firstNames = ['Zoë', 'José', 'Łukasz', 'Nguyễn', 'Мария', '小明', 'Αλέξης', 'Anne-Marie', 'Jo']
const lastNames = [
  'O’Brien',
  'D‘Angelo',
  'Žižek',
  'N’Diaye',
  'Müller‑Lüdenscheidt',
  'Иванова',
  '山田',
  'de la Cruz',
  'Özgür',
]
/** One number, as people write it and paste it from their contacts. */
const phones = [
  '+44 (0)20 7946 0000',
  '+442079460000',
  '0044 20 7946 0000',
  '\u202a+44\u00a020\u00a07946\u00a00000\u202c',
  '+44\u201120\u20117946\u20110000',
]
const streets = ['12 Main Street', 'Łąkowa 7/2', '1‑3 Rue de l’Église', 'ул. Ленина 5', '5 Señor del Mar']
const cities = ['Springfield', 'Łódź', '東京', 'São Paulo', 'N’Djamena']

const drawn = fc.record({
  first_name: fc.constantFrom(...firstNames),
  last_name: fc.constantFrom(...lastNames),
  phone: fc.constantFrom(...phones),
  street_line_1: fc.constantFrom(...streets),
  city: fc.constantFrom(...cities),
  // A number and a document of another country, and where a company operates.
  'tax_id.issuing_country': fc.constantFrom(...countries),
  'photo_id.issuing_country': fc.constantFrom(...countries),
  'physical_address.country': fc.constantFrom(...countries),
  'physical_address.is_same': fc.boolean(),
  /** The usual number of the country, or that of a passport. */
  isPassport: fc.boolean(),
})

/** @param seed a number of the party, such as its place in the list of countries */
export function inventedFor(country: string, seed: number): Answers {
  const [draw] = fc.sample(drawn, { numRuns: 1, seed })
  const { isPassport, ...answers } = draw as typeof draw & { isPassport: boolean }
  return {
    ...answers,
    country,
    ...(isPassport && { 'tax_id.type': 'passport' }),
    business_legal_name: `${answers.last_name} & Söhne`,
    business_trade_name: String(answers.first_name),
  }
}
