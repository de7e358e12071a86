// Text of a server, made safe for a terminal.

import { stripVTControlCharacters } from 'node:util'

// Control characters move the cursor or start a sequence (ECMA-48); marks of direction reorder what stands around them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Removes escape sequences, and shows every other control character as a replacement character. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(unsafe, '\uFFFD')
}

/** Writes JSON with nothing in it that a terminal would obey. */
export function safeJson(value: unknown, indent?: number): string {
  // JSON.stringify escapes U+0000 to U+001F by itself; its line feeds are those of the indent.
  const escapeCharacter = (character: string): string =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return (JSON.stringify(value, null, indent) ?? 'null').replace(unsafe, escapeCharacter)
}
