// Which PDFs are refused before anybody waits for a provider: those that are cut, and those that need a password.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pdfFault } from '../src/pdf.ts'

const faultOf = (text: string) => pdfFault(text.length, (from, to) => text.slice(from, to))

/** A file of one page. Writers put `Encrypt` in the trailer, or in the dictionary of a stream. */
function pdf({ encrypt = '', isStream = false, filler = 0, before = '' } = {}): string {
  const objects = `${before}%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n%${' '.repeat(filler)}\n`
  const entries = `/Size 4 /Root 1 0 R ${encrypt}`
  const table = isStream
    ? `4 0 obj\n<< /Type /XRef /W [1 2 1] /Length 16 ${entries} >>\nstream\n0123456789abcdef\nendstream\nendobj\n`
    : `xref\n0 1\n0000000000 65535 f \ntrailer\n<< ${entries} >>\n`
  return `${objects}${table}startxref\n${objects.length}\n%%EOF\n`
}

test('a whole PDF is taken: small or large, with either kind of table, and with a few bytes around it', () => {
  for (const isStream of [false, true])
    for (const filler of [0, 300_000]) assert.equal(faultOf(pdf({ isStream, filler })), null)
  assert.equal(faultOf(pdf({ before: '\xef\xbb\xbf' })), null)
  assert.equal(faultOf(`${pdf()}\r\n\0\0\0`), null)
  // Saved again by a reader: what is new is added at the end.
  assert.equal(faultOf(pdf() + pdf().slice(9)), null)
  assert.equal(faultOf(pdf({ filler: 10 }).replace('% ', '%/Encrypt 9 0 R ')), null, 'a word in a comment')
})

test('a PDF with a password is locked', () => {
  for (const isStream of [false, true])
    for (const encrypt of ['/Encrypt 9 0 R', '/Encrypt << /Filter /Standard >>'])
      for (const filler of [0, 300_000]) assert.equal(faultOf(pdf({ isStream, encrypt, filler })), 'locked')
})

test('a PDF that is cut anywhere, is empty, or is only called so is broken', () => {
  const whole = pdf({ filler: 2_000 })
  for (let length = 0; length < whole.length - 2; length += 37) assert.equal(faultOf(whole.slice(0, length)), 'broken')
  assert.equal(faultOf('%PDF-1.7\n'), 'broken')
  assert.equal(faultOf(whole.replace('%PDF-', '%PDX-')), 'broken')
  assert.equal(faultOf(whole.replace(/startxref\n\d+/, 'startxref\n99999999')), 'broken')
})
