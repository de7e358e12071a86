// Makes text from a server safe for a terminal.

import { stripVTControlCharacters } from 'node:util'

// Control characters move the cursor or start a sequence (ECMA-48), marks of direction reorder the text around them, and a
// character without a glyph makes two different names look the same. Unicode's own classes: a list would miss some.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/** Removes escape sequences, and shows every other character that has no glyph as a replacement character. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(unsafe, '\uFFFD')
}

/** Writes JSON without characters that a terminal would interpret or hide. */
export function safeJson(value: unknown, indent?: number): string {
  // JSON.stringify already escapes U+0000 to U+001F. The remaining line feeds come from the indent.
  const escapeCharacter = (character: string): string => (character === '\n' ? character : escaped(character))
  return (JSON.stringify(value, null, indent) ?? 'null').replace(unsafe, escapeCharacter)
}

/** JSON escapes a character beyond U+FFFF as its two UTF-16 units. */
const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
