// Sums by currency: a row each; on a phone a block each.

import { groupDigits } from '../../components/money.tsx'

type Row = { currency: string; count: number }

type Props<R extends Row> = {
  caption: string
  rows: readonly R[]
  columns: readonly (readonly [header: string, sum: (row: R) => string])[]
}

const cellClasses =
  'whitespace-nowrap p-2 tabular-nums last:pr-4 max-sm:flex max-sm:justify-between max-sm:gap-2 max-sm:p-0 max-sm:last:pr-0'

/** On a phone, a currency is a block, with each sum next to its name. */
const NameOnPhone = ({ name }: { name: string }) => (
  <span aria-hidden="true" className="text-soft text-xs sm:hidden">
    {name}
  </span>
)

export function SumTable<R extends Row>({ caption, rows, columns }: Props<R>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-right max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
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
        <tbody className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={row.currency}
              className="border-line border-b last:border-0 max-sm:grid max-sm:gap-1 max-sm:px-4 max-sm:py-3"
            >
              <th scope="row" className="py-2.5 pr-2 pl-4 text-left font-semibold uppercase max-sm:p-0">
                {row.currency}
              </th>
              <td className={cellClasses}>
                <NameOnPhone name="Deposits" />
                {groupDigits(String(row.count))}
              </td>
              {columns.map(([header, sum]) => (
                <td key={header} className={cellClasses}>
                  <NameOnPhone name={header} />
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
