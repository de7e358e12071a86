// Which language the page speaks, and its texts.

import { en, type Texts } from './en.ts'

/** Each is loaded where it is spoken. A language that lacks a text is no `Texts`, and is not compiled. */
const languages: Readonly<Record<string, () => Promise<Texts>>> = {
  en: async () => en,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  fr: async () => (await import('./fr.ts')).fr,
  de: async () => (await import('./de.ts')).de,
}

export const languageNames: Readonly<Record<string, string>> = {
  en: 'English',
  es: 'Español',
  pt: 'Português',
  fr: 'Français',
  de: 'Deutsch',
}

/** The language of the link, else the first of the browser's that there is, else English. */
export function languageOf(asked: string | null, browser: readonly string[]): string {
  const wanted = [...(asked === null ? [] : [asked]), ...browser.map((tag) => tag.slice(0, 2).toLowerCase())]
  return wanted.find((language) => language in languages) ?? 'en'
}

/** Loads the texts of a language. @returns those in English where they cannot be loaded */
export const loadTexts = async (language: string): Promise<Texts> =>
  await (languages[language]?.() ?? Promise.resolve(en)).catch(() => en)

/** Fills the places of a text: `{name}`. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** The name of a number or document: the page's text, with its local name. */
export function nameOf(texts: Texts, word: string, names: Readonly<Record<string, string>> = {}): string {
  const isKnown = word in texts.word
  const name = names[word]
  if (name === undefined) return wordOf(texts, word)
  return isKnown ? `${wordOf(texts, word)} (${name})` : name
}

/** A word of the provider in the language of the page; a word that is new to us as it is, without its underscores. */
export function wordOf(texts: Texts, word: string): string {
  const known = (texts.word as Readonly<Record<string, string>>)[word]
  if (known !== undefined) return known
  const plain = word.replaceAll('_', ' ').replace(/\bid$/, 'ID')
  return plain.length <= 6 ? plain.toUpperCase() : plain.charAt(0).toUpperCase() + plain.slice(1)
}
