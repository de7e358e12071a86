// Sums by currency: a row each, which scrolls in its own frame where it is too wide.

import { groupDigits } from '../../components/money.tsx'

type Row = { currency: string; count: number }

type Props<R extends Row> = {
  caption: string
  rows: readonly R[]
  columns: readonly (readonly [header: string, sum: (row: R) => string])[]
}

export function SumTable<R extends Row>({ caption, rows, columns }: Props<R>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-right">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-line border-b text-soft text-xs">
            <th scope="col" className="py-2 pr-2 pl-4 text-left font-medium">
              Currency
            </th>
            <th scope="col" className="whitespace-nowrap p-2 font-medium">
              Deposits
            </th>
            {columns.map(([header]) => (
              <th key={header} scope="col" className="whitespace-nowrap p-2 font-medium last:pr-4">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.currency} className="border-line border-b last:border-0">
              <th scope="row" className="py-2.5 pr-2 pl-4 text-left font-semibold uppercase">
                {row.currency}
              </th>
              <td className="p-2 tabular-nums">{groupDigits(String(row.count))}</td>
              {columns.map(([header, sum]) => (
                <td key={header} className="whitespace-nowrap p-2 tabular-nums last:pr-4">
                  {groupDigits(sum(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
