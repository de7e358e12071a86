// The answer of a command: JSON for programs, a table for a person.

import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import type { Context } from '../command.ts'
import { safeJson, safeText } from './safe-text.ts'

/** Prints a value: as JSON with `--json` or when no person reads, else as a table or as lines of names and values. */
export function show({ terminal, flags }: Pick<Context, 'terminal' | 'flags'>, value: unknown): void {
  if (flags['json'] || !terminal.isInteractive) terminal.print(safeJson(value, 2))
  else if (Array.isArray(value)) terminal.print(value.length === 0 ? 'none' : tableOf(value))
  else if (isJsonObject(value)) terminal.print(linesOf(value))
  else terminal.print(cellOf(value))
}

const columnsMax = 7
const cellMax = 44

/** The first members of the rows that are no objects, aligned. */
function tableOf(rows: readonly unknown[]): string {
  const names = [...new Set(rows.flatMap((row) => (isJsonObject(row) ? Object.keys(row) : [])))]
    .filter((name) => rows.some((row) => isJsonObject(row) && isPlain(row[name]) && row[name] != null))
    .slice(0, columnsMax)
  if (names.length === 0) return rows.map(cellOf).join('\n')
  const cells = rows.map((row) => names.map((name) => shorten(cellOf(isJsonObject(row) ? row[name] : ''))))
  return alignColumns([names, ...cells])
}

/** Joins cells to lines, each column as wide as its widest cell. */
export function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function linesOf(value: Readonly<Record<string, unknown>>): string {
  return alignColumns(Object.entries(value).map(([name, held]) => [name, cellOf(held)]))
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? safeText(value) : safeJson(value)
}

const shorten = (text: string): string => (text.length > cellMax ? `${text.slice(0, cellMax - 1)}…` : text)
