// Lists as CSV (RFC 4180): a header line, then one line per row. A cell that a spreadsheet would run as a formula gets
// an apostrophe, as OWASP advises. Numbers get none.

import { stringify } from 'csv-stringify/sync'

/** The columns by name, in order, each with the function that reads its cell from a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => string | boolean | null>>

export const csvMediaType = 'text/csv; charset=utf-8; header=present'

const number = /^-?[0-9]+(\.[0-9]+)?$/

/** Writes rows as CSV. A null is an empty cell. */
export function csvOf<Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)))
  return stringify(cells, {
    header: true,
    columns: Object.keys(columns),
    record_delimiter: 'windows',
    // Quote every character that a spreadsheet of any locale may read as a separator.
    quoted_match: /[^\w.:-]/,
    escape_formulas: true,
    cast: {
      boolean: String,
      string(text) {
        if (number.test(text)) return { value: text, escape_formulas: false }
        return text.startsWith('\n') ? `'${text}` : text // OWASP lists the line feed, too
      },
    },
  })
}
