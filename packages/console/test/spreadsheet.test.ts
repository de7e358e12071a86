// The files of "Export CSV": codes as text, everything else as the API wrote it, page after page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forSpreadsheets } from '../src/components/lists/spreadsheet.ts'

async function fileOf(...pages: string[]): Promise<string> {
  const parts = []
  for await (const part of forSpreadsheets(
    (async function* () {
      yield* pages
    })(),
  ))
    parts.push(part)
  return parts.join('')
}

test('codes that look like numbers are text; amounts, names and quoted cells stay', async () => {
  const header = 'traceNumber,grossAmount,senderName,endToEndId,exchangeRate\r\n'
  assert.equal(
    await fileOf(`${header}021000021,12.50,"A, 123, ""B""\r\n45",12E34,1.05\r\n`, `7,,,'=x,\r\n`),
    `\uFEFF${header}"=""021000021""",12.50,"A, 123, ""B""\r\n45","=""12E34""",1.05\r\n"=""7""",,,'=x,\r\n`,
  )
  assert.equal(await fileOf(header), `\uFEFF${header}`)
})
