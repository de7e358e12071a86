// A table for a terminal: the columns that a reader looks for come first, the ID comes last, and every line fits the width.

export type Row = Readonly<Record<string, unknown>>
export type Cell = (value: unknown) => string

/** The columns that readers look for, in this order. Other fields follow if there is room. */
const leading = [
  ...['name', 'grossAmount', 'amount', 'method', 'path', 'number', 'eventType', 'action', 'type'],
  ...['status', 'kycStatus', 'state', 'error', 'code', 'count', 'externalUserId', 'actor', 'webhookUrl'],
]
/** Never truncated or dropped: the time, and the ID to copy. */
const trailing = ['createdAt', 'id', 'requestId']

const gap = '  '
const cellMax = 44
const cellMin = 8

/** @param width columns of the terminal; without it every field that fits a cell is shown */
export function tableOf(rows: readonly Row[], cellOf: Cell, width = Number.POSITIVE_INFINITY): string {
  const all = columnsOf(rows, cellOf)
  const essential = all.filter(({ name }) => leading.includes(name) || trailing.includes(name))
  const columns = fitted(withExtras(all, essential.length === 0 ? all.slice(0, 1) : essential, width), width)
  return alignColumns([
    columns.map(({ name, width: max }) => shorten(name, max)),
    ...rows.map((_, at) => columns.map(({ cells, width: max }) => shorten(cells[at] ?? '', max))),
  ])
}

/** Joins cells to lines, each column as wide as its widest cell. */
export function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => [...(line[at] ?? '')].length)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - [...cell].length)))
        .join(gap)
        .trimEnd(),
    )
    .join('\n')
}

/** Cuts a text, with … at its end. */
export function shorten(text: string, max: number): string {
  const letters = [...text]
  return letters.length > max ? `${letters.slice(0, Math.max(0, max - 1)).join('')}…` : text
}

/** `min`: a column is never narrower. An amount is shown whole. */
type Column = { name: string; cells: readonly string[]; width: number; min: number }

function columnsOf(rows: readonly Row[], cellOf: Cell): readonly Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const placeOf = (name: string): number => {
    if (trailing.includes(name)) return 2_000 + trailing.indexOf(name)
    if (leading.includes(name)) return leading.indexOf(name)
    return name.endsWith('Id') ? 1_500 : 1_000
  }
  return names
    .filter((name) => rows.some((row) => isShown(row[name])))
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((name) => {
      const cells = rows.map((row) => cellOf(row[name]))
      const longest = Math.max(...cells.map((cell) => [...cell].length))
      const natural = Math.max(name.length, longest)
      if (trailing.includes(name)) return { name, cells, width: natural, min: natural }
      const width = Math.min(natural, cellMax)
      const isAmount = rows.some((row) => isMoney(row[name]))
      return { name, cells, width, min: Math.min(width, isAmount ? longest : cellMin) }
    })
}

const isShown = (value: unknown): boolean => value != null && (typeof value !== 'object' || isMoney(value))

export const isMoney = (value: unknown): value is { value: string; currency: string } =>
  typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'currency,value'

const widthOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, { width }) => sum + width + gap.length, -gap.length)

function withoutYear({ name, cells }: Column): Column {
  const short = cells.map((cell) => cell.replace(year, ''))
  const width = Math.max(name.length, ...short.map((cell) => cell.length))
  return { name, cells: short, width, min: width }
}

/** Adds the other columns while they fit; the first that does not fit is cut to the rest, if that leaves something to read. */
function withExtras(all: readonly Column[], essential: readonly Column[], width: number): readonly Column[] {
  const chosen = new Set(essential)
  for (const column of all) {
    if (chosen.has(column)) continue
    const room = width - widthOf([...chosen]) - gap.length
    if (column.width <= room || (chosen.size < 2 && room >= cellMin)) chosen.add(column)
  }
  return all.filter((column) => chosen.has(column))
}

const year = /^\d{4}-(?=\d\d-\d\d \d\d:\d\dZ$)/

/** Leaves out the year of times, cuts the widest columns, and then drops columns from the end, until the line fits. */
function fitted(columns: readonly Column[], width: number): readonly Column[] {
  if (widthOf(columns) <= width) return columns
  const dated = columns.find(({ cells }) => cells.some((cell) => year.test(cell)))
  if (dated)
    return fitted(
      columns.map((column) => (column === dated ? withoutYear(column) : column)),
      width,
    )
  const widest = columns
    .filter((column) => column.width > column.min)
    .toSorted((one, other) => other.width - one.width)[0]
  if (widest)
    return fitted(
      columns.map((column) => (column === widest ? { ...column, width: column.width - 1 } : column)),
      width,
    )
  const dropped = columns.findLast(({ name }) => !trailing.includes(name))
  return dropped && columns.length > 2
    ? fitted(
        columns.filter((column) => column !== dropped),
        width,
      )
    : columns
}
