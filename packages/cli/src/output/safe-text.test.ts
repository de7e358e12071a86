// Text for a terminal: every sign that reorders text or has no glyph is replaced, and JSON reads back the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeJson, safeText } from './safe-text.ts'

/** Every character that reorders the text around it, or has no glyph: the marks of direction of Unicode 6.3 (U+061C) included. */
const unseen = [
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
  ...['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u180e', '\u115f', '\u3164', '\uffa0'],
  ...['\u2028', '\u2029', '\u0085', '\u007f', '\ufff9', '\u{e0041}', '\u{1d173}'],
]

test('a table shows a replacement character for every sign that reorders text or has no glyph', () => {
  for (const sign of unseen) assert.equal(safeText(`a${sign}b`), 'a\uFFFDb', `U+${sign.codePointAt(0)?.toString(16)}`)
  assert.equal(safeText('a\u001b[31mb'), 'ab')
  assert.equal(safeText('José Ñandú 北京 عمر'), 'José Ñandú 北京 عمر')
})

test('JSON escapes these signs, and reads back as the same text', () => {
  const text = unseen.join('x')
  assert.deepEqual(JSON.parse(safeJson({ text })), { text })
  for (const sign of unseen) assert.ok(!safeJson({ text }, 2).includes(sign), `U+${sign.codePointAt(0)?.toString(16)}`)
})
