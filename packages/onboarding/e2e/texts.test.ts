// The texts of each language against those in English, and against the typography of the language.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageNames, loadTexts } from '../src/texts/texts.ts'

type Entry = readonly [place: string, text: string]

async function textsOf(language: string): Promise<readonly Entry[]> {
  const sections = Object.entries(await loadTexts(language))
  return sections.flatMap(([section, texts]) =>
    Object.entries(texts).map(([key, text]) => [`${section}.${key}`, text] as const),
  )
}

const valuesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

/** Patterns that no text of the language may contain. Required spaces must be non-breaking. */
const wrong: Readonly<Record<string, RegExp>> = {
  en: /e-mail| …|\s%/i,
  de: /[^\u00a0]%/,
  es: /[^\u00a0]%| …/,
  fr: /[^\u00a0]([:;?!](?=\s|$)|%)| …/,
  pt: /\s%| …/,
}

for (const language of Object.keys(languageNames)) {
  test(`the texts in ${language} have the values of the English ones, and the typography of the language`, async () => {
    const english = new Map(await textsOf('en'))
    for (const [place, text] of await textsOf(language)) {
      assert.deepEqual(valuesIn(text), valuesIn(english.get(place) ?? ''), place)
      assert.doesNotMatch(text, /['"]| {2}|^\s|\s$/, place)
      assert.doesNotMatch(text, wrong[language] ?? /^$/, place)
    }
  })
}

test('what cannot be accepted as it is says in a second sentence what to do', async () => {
  for (const language of Object.keys(languageNames)) {
    for (const [place, text] of await textsOf(language)) {
      if (!/^(reason|photo)\./.test(place) || !/\.$/.test(text)) continue
      assert.match(text, /[.?!]\s.*\.$/, `${language} ${place}: ${text}`)
    }
  }
})
