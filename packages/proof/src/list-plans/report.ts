// The figures as text: a line for each list, then a line for each operation.

import { type ListFigures, type PageFigures, smallTableRows } from './measure-list.ts'

const listWidths = [28, 9, 84, 12, 16, 8, 14]
const operationWidths = [28, 5, 8, 10, 8, 12]

/** `ms`, `rows` and `blocks` of the first page and of the next one; `at most` the rows that the list may read. */
export const listHead = lineOf(listWidths, [
  'operation',
  'caller',
  'list',
  'ms',
  'rows',
  'at most',
  'indexes, with the rows read by each',
])

export function listLine({ operation, caller, path, asCsv, rowsMax, pages }: ListFigures): string {
  const both = (of: (page: PageFigures) => number) => pages.map((page) => `${of(page)}`).join(' / ')
  return lineOf(listWidths, [
    operation,
    caller,
    `${shortOf(path)}${asCsv ? ' as CSV' : ''}`,
    both(({ ms }) => ms),
    both(({ rowsRead }) => rowsRead),
    String(rowsMax),
    both(({ blocksRead }) => blocksRead),
    pages.reduce((worst, page) => (page.rowsRead > worst.rowsRead ? page : worst)).scans,
  ])
}

export const operationHead = lineOf(operationWidths, [
  'operation',
  'lists',
  'slowest',
  'most rows',
  'at most',
  'whole tables',
  'indexes',
])

/** Leaves out the time of a day, and what a cursor holds. */
const shortOf = (path: string) => path.replaceAll(/T[0-9:.]+Z/g, '').replace(/cursor=[^&]+/, 'cursor=…')

/** The slowest page of each operation, the most rows that one read, and every index. */
export function operationLines(lists: readonly ListFigures[]): string[] {
  return [...Map.groupBy(lists, ({ operation }) => operation)].map(([operation, own]) => {
    const pages = own.flatMap((list) => list.pages)
    const whole = new Set(pages.flatMap(({ wholeTables }) => wholeTables))
    return lineOf(operationWidths, [
      operation,
      String(own.length),
      `${Math.max(...pages.map(({ ms }) => ms))} ms`,
      String(Math.max(...pages.map(({ rowsRead }) => rowsRead))),
      String(Math.max(...own.map(({ rowsMax }) => rowsMax))),
      [...whole].join(', ') || 'none',
      [
        ...new Set(pages.flatMap(({ scans }) => scans.match(/[^,()]*\w(?= \()/g) ?? []).map((scan) => scan.trim())),
      ].join(', '),
    ])
  })
}

export function conclusionOf(lists: readonly ListFigures[]): string {
  const readWhole = lists.flatMap(({ operation, path, pages }) => {
    const tables = new Set(pages.flatMap(({ wholeTables }) => wholeTables))
    return tables.size === 0 ? [] : `${operation} ${shortOf(path)} reads all of ${[...tables].join(', ')}`
  })
  const rule = `No sequential scan of a table with more than ${smallTableRows} rows`
  return readWhole.length === 0 ? `${rule}.` : `${rule}, but for these:\n${readWhole.join('\n')}`
}

function lineOf(widths: readonly number[], cells: readonly string[]): string {
  const line = cells.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join(' ')
  return line.trimEnd()
}
