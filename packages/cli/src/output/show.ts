// The output of a command: JSON for programs, a table for a person.

import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import type { Context } from '../command.ts'
import { safeJson, safeText } from './safe-text.ts'
import { alignColumns, isMoney, tableOf } from './table.ts'

/** Prints a value: as JSON with `--json` or if no person reads, else as a table or as lines of names and values. */
export function show({ terminal, flags }: Pick<Context, 'terminal' | 'flags'>, value: unknown): void {
  if (flags['json'] || !terminal.isInteractive) terminal.print(safeJson(value, 2))
  else if (Array.isArray(value)) terminal.print(value.length === 0 ? 'none' : listOf(value, terminal.columns))
  else if (isJsonObject(value)) terminal.print(linesOf(value))
  else terminal.print(cellOf(value))
}

const listOf = (items: readonly unknown[], columns: number | undefined): string =>
  items.every(isJsonObject) ? tableOf(items, cellOf, columns) : items.map(cellOf).join('\n')

function linesOf(value: Readonly<Record<string, unknown>>): string {
  return alignColumns(Object.entries(value).map(([name, held]) => [name, lineOf(held)]))
}

/** A table shows a time to the minute; one object shows it as the API does. */
const lineOf = (value: unknown): string => (typeof value === 'string' ? safeText(value) : cellOf(value))

const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (isMoney(value)) return safeText(`${value.value} ${value.currency}`)
  return typeof value === 'string' ? safeText(value).replace(time, '$1 $2Z') : safeJson(value)
}
