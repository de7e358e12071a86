// A page of a list as a table, with rows as links. The server sorts and pages. If the columns do not fit, each row
// becomes a block.

import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useTableForm } from './lists/table-form.ts'
import { ShortTimes } from './time.tsx'
import { Button } from './ui/button.tsx'
import { cn } from './ui/cn.ts'

export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** For amounts, which are right-aligned. */
  align?: 'right'
  /** Left out where there is no room: the row's own page has it. */
  wideOnly?: boolean
  className?: string
}

type Selection<Row> = {
  isSelected: (row: Row) => boolean
  onSelect: (row: Row, isSelected: boolean) => void
  onSelectAll: (isSelected: boolean) => void
  nameOf: (row: Row) => string
}

export type TableProps<Row> = {
  /** A description of the rows, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  /** Undefined while they are being read. */
  rows: readonly Row[] | undefined
  idOf: (row: Row) => string
  /** Where a row leads: the first column is the link. */
  linkOf?: (row: Row) => LinkProps
  /** Shown instead of the table where there is no row. */
  empty: ReactNode
  selection?: Selection<Row>
  /** Many short rows: a card has the first cell on one line, and the others without their headers on the next. */
  isCompact?: boolean
}

const skeletonRows = 8
/** A phone's is narrower. */
const cardsBelowPx = 480
const compactCardsBelowPx = 360

export function DataTable<Row>(props: TableProps<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const { columns, rows, empty, isCompact = false } = props
  const form = useTableForm(box, rows, isCompact ? compactCardsBelowPx : cardsBelowPx)
  if (rows?.length === 0) return empty
  return (
    // A container: a table that is too wide does not widen its box.
    <div ref={box} className="@container" data-form={form === 'cards' ? 'cards' : 'rows'}>
      <ShortTimes>
        <Table {...props} columns={form === 'full' ? columns : columns.filter(({ wideOnly }) => wideOnly !== true)} />
      </ShortTimes>
    </div>
  )
}

function Table<Row>({ caption, columns, rows, idOf, linkOf, selection, isCompact = false }: TableProps<Row>) {
  const allSelected = rows?.every((row) => selection?.isSelected(row)) ?? false
  return (
    <table className="w-full border-collapse text-left cards:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="cards:sr-only">
        <tr className="border-line border-b text-soft text-xs">
          {selection && (
            <th scope="col" className="w-8 py-2 pl-4">
              <input
                type="checkbox"
                className="size-4 accent-accent align-middle"
                aria-label="Select all rows of this page"
                checked={allSelected}
                onChange={(event) => selection.onSelectAll(event.target.checked)}
              />
            </th>
          )}
          {columns.map(({ id, header, align, className }) => (
            <th
              key={id}
              scope="col"
              className={cn(
                'whitespace-nowrap px-2 py-2 font-medium first:pl-4 last:pr-4',
                align === 'right' && 'text-right',
                className,
              )}
            >
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="cards:block" aria-busy={rows === undefined}>
        {rows === undefined
          ? Array.from({ length: skeletonRows }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
              <tr key={at} className="border-line border-b last:border-0 cards:block">
                <td colSpan={columns.length + (selection ? 1 : 0)} className="h-11 px-4 cards:block">
                  <div
                    className="h-3.5 animate-pulse rounded bg-sunken"
                    style={{ width: `${85 - ((at * 17) % 40)}%` }}
                  />
                </td>
              </tr>
            ))
          : rows.map((row) => (
              <tr
                key={idOf(row)}
                className={cn(
                  'group relative border-line border-b last:border-0 hover:bg-sunken/60',
                  isCompact
                    ? 'cards:flex cards:flex-wrap cards:items-center cards:gap-x-3 cards:gap-y-0.5 cards:px-4 cards:py-2'
                    : 'cards:grid cards:gap-1 cards:px-4 cards:py-3',
                  selection?.isSelected(row) && 'bg-accent-soft',
                )}
              >
                {selection && (
                  <td className="relative z-10 w-8 py-2 pl-4 cards:absolute cards:top-3 cards:right-4 cards:p-0">
                    <input
                      type="checkbox"
                      className="size-4 accent-accent align-middle"
                      aria-label={`Select ${selection.nameOf(row)}`}
                      checked={selection.isSelected(row)}
                      onChange={(event) => selection.onSelect(row, event.target.checked)}
                    />
                  </td>
                )}
                {columns.map((column, at) => (
                  <Cell
                    key={column.id}
                    column={column}
                    row={row}
                    link={at === 0 ? linkOf?.(row) : undefined}
                    isCompact={isCompact}
                  />
                ))}
              </tr>
            ))}
      </tbody>
    </table>
  )
}

type CellProps<Row> = { column: Column<Row>; row: Row; link: LinkProps | undefined; isCompact: boolean }

function Cell<Row>({ column, row, link, isCompact }: CellProps<Row>) {
  const { header, cell, align, className } = column
  return (
    <td
      className={cn(
        'h-11 min-w-0 px-2 py-1.5 first:pl-4 last:pr-4',
        isCompact && 'h-10 cards:has-data-none:hidden cards:first:w-full cards:last:ml-auto cards:not-first:text-xs',
        align === 'right' && 'rows:text-right',
        'cards:flex cards:h-auto cards:items-baseline cards:gap-2 cards:p-0 cards:first:pl-0 cards:last:pr-0',
        className,
      )}
    >
      {link === undefined ? (
        <>
          {!isCompact && (
            <span aria-hidden="true" className="w-24 shrink-0 text-soft text-xs rows:hidden">
              {header}
            </span>
          )}
          <span className="min-w-0 break-words">{cell(row)}</span>
        </>
      ) : (
        // The whole row is the link target, so that a middle click anywhere opens it in a new tab.
        <Link {...link} className="min-w-0 break-words font-medium after:absolute after:inset-0 hover:underline">
          {cell(row)}
        </Link>
      )}
    </td>
  )
}

export type PagerProps = {
  /** Cursor of the shown page; undefined on the first one. */
  cursor: string | undefined
  nextCursor: string | null | undefined
  onPage: (cursor: string | undefined) => void
}

/** Leads to the next page. The way back is the browser's own, or to the first page. */
export function Pager({ cursor, nextCursor, onPage }: PagerProps) {
  if (cursor === undefined && !nextCursor) return null
  return (
    <nav aria-label="Pages" className="print:hidden flex justify-end gap-2 border-line border-t px-4 py-2.5">
      <Button size="sm" disabled={cursor === undefined} onClick={() => onPage(undefined)}>
        First page
      </Button>
      <Button size="sm" disabled={!nextCursor} onClick={() => onPage(nextCursor ?? undefined)}>
        Next page
      </Button>
    </nav>
  )
}
