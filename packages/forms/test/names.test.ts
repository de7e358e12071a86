// Names and streets: when a second form in Latin letters is needed, what is suggested for it, and how short each may be.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsLatin, readStreet, streetCharsMin, suggestLatin } from '../src/names.ts'

const suggestions: Readonly<Record<string, string | null>> = {
  'José Müller': 'José Müller',
  'O’Neil – Smith': "O'Neil - Smith",
  'Łukasz Żółć': 'Lukasz Zólc',
  'İlknur Œuvré': 'Ilknur OEuvré',
  'Əli GROẞ': 'Eli GROSS',
  'Анна Łoś': 'Anna Los',
  'Σοφία É': 'Sofia É',
  عائشة: null,
  דוד: null,
  ܡܪܝܡ: null,
  ޢައިޝާ: null,
}

for (const [written, suggested] of Object.entries(suggestions))
  test(`${written} is suggested as ${suggested ?? 'nothing: only the person knows'}`, async () => {
    assert.equal(await suggestLatin(written), suggested)
  })

test('a name needs a Latin form for its letters alone, not for typographic signs', () => {
  assert.equal(needsLatin('José O’Neil'), false)
  assert.equal(needsLatin('Łukasz'), true)
})

test('a street has as many characters as its rule says', () => {
  assert.deepEqual(readStreet(' Am 1 '), { value: 'Am 1' })
  assert.deepEqual(readStreet('Am1'), { rule: 'streetTooShort', values: { min: String(streetCharsMin) } })
})
