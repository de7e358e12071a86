// The tables of the page "Provider capabilities": a column for each adapter.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const page = resolve(import.meta.dirname, '../../../../docs/src/content/docs/reference/provider-capabilities.md')

/** Reads the table under a heading: by the name in the first column, the cells by the title of their column. */
export function readCapabilities(heading: string): ReadonlyMap<string, Record<string, string>> {
  const [, section = ''] = readFileSync(page, 'utf8').split(`\n## ${heading}\n`)
  const [titles = [], _rule, ...rows] = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const [, , ...columns] = titles
  return new Map(
    rows.map(([, name = '', ...cells]) => [
      name.replaceAll('`', ''),
      Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])),
    ]),
  )
}

/** The page says what happens without the part. */
export function assertExplained(part: string): void {
  const rows = [...readCapabilities('Parts')].filter(([name]) => name === part)
  assert.equal(rows.length, 1, `the page "Provider capabilities" has a row for ${part}`)
  const [[, cells] = []] = rows
  assert.notEqual(cells?.['If the part is null, Causeway'], '', part)
}
