// CSV must keep every cell unchanged, and must not contain formulas.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CsvColumns, csvOf } from './csv.ts'

type Row = readonly (string | boolean | null)[]
const columns: CsvColumns<Row> = { first: (row) => row[0] ?? null, second: (row) => row[1] ?? null }

/** Parses CSV according to RFC 4180. */
function read(text: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

test('a line of names, then a line for each row; a null is empty, an amount is as it was', () => {
  assert.equal(csvOf(columns, []), 'first,second\r\n')
  const rows: Row[] = [
    ['2000.00', true],
    ['-0.01', null],
    ['Ada, Countess of "Lovelace"', '2026-01-31T12:00:00.000Z'],
  ]
  assert.equal(
    csvOf(columns, rows),
    'first,second\r\n2000.00,true\r\n-0.01,\r\n"Ada, Countess of ""Lovelace""",2026-01-31T12:00:00.000Z\r\n',
  )
})

test('no cell begins as a formula does, and none can be cut into two by another separator', () => {
  for (const sign of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    const formula = `${sign}HYPERLINK("http://example.com";A1)`
    const [, line] = read(csvOf(columns, [[formula, '-1+1']]))
    assert.deepEqual(line, [`'${formula}`, "'-1+1"])
  }
  for (const separator of [';', '\t', '|', ' ', '\n', '\r'])
    assert.match(csvOf(columns, [[`a${separator}=1`, null]]), /^"a[^"]=1",$/m)
})

test('every text is read as it was written, but for the apostrophe before a formula', () => {
  const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[",\r\n;=a1-]{0,8}$/))
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
      const [names, ...lines] = read(csvOf(columns, rows))
      assert.deepEqual(names, ['first', 'second'])
      const withoutApostrophe = (written: string, text: string) => (written === `'${text}` ? text : written)
      assert.deepEqual(
        lines.map((line, at) => line.map((written, nth) => withoutApostrophe(written, rows[at]?.[nth] ?? ''))),
        rows,
      )
    }),
  )
})
