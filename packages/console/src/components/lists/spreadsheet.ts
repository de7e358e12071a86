// Makes CSV of the API a file that a spreadsheet opens as it is meant: with a byte-order mark, without which Excel takes the text for
// a local code page, and with codes of digits as text, of which it would keep 15 digits and no leading zero.

/** The columns that a spreadsheet may read as numbers. */
const amounts = /(Amount|Fee|Rate)$/
const looksNumeric = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i
/** A cell of RFC 4180, and what ends it. */
const cell = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|$)/g

/** @param pages whole lines, the names of the columns first */
export async function* forSpreadsheets(pages: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield '\uFEFF'
  let names: readonly string[] = []
  for await (const page of pages) {
    if (names.length === 0) names = page.slice(0, page.indexOf('\r\n')).split(',')
    let column = 0
    yield page.replace(cell, (_, text: string, end: string) => {
      const isCode = looksNumeric.test(text) && !amounts.test(names[column] ?? '')
      column = end === ',' ? column + 1 : 0
      return `${isCode ? `"=""${text}"""` : text}${end}`
    })
  }
}
