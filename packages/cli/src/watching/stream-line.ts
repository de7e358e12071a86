// An entry of a stream: cells in columns that fit the width of the terminal. In a narrow terminal, an entry has several lines.

import type { Terminal } from '../command.ts'
import { safeText } from '../output/safe-text.ts'
import { shorten } from '../output/table.ts'

/** `isFlexible`: can be cut in a terminal. IDs and times are always shown in full. */
export type StreamCell = { text: string; width: number; isFlexible?: true }

const gap = '  '
/** Narrower terminals show an entry in several lines, so that 12 characters of each flexible cell are readable. */
const oneLineColumns = 80
const readableMin = 12

export function streamLine({ columns }: Terminal, cells: readonly StreamCell[]): string {
  if (columns === undefined)
    return cells
      .map(({ text, width }) => safeText(text).padEnd(width))
      .join(gap)
      .trimEnd()
  return linesOf(cells, columns)
    .map((line, at) => (at === 0 ? '' : gap) + fitted(line, at === 0 ? columns : columns - gap.length))
    .join('\n')
}

/** Starts a new line, which is indented, when the next cell does not fit. */
function linesOf(cells: readonly StreamCell[], columns: number): StreamCell[][] {
  const flexibleMin = columns < oneLineColumns ? readableMin : 1
  const lines: StreamCell[][] = []
  let used = 0
  for (const cell of cells) {
    const least = cell.isFlexible ? Math.min(cell.width, flexibleMin) : wholeWidth(cell)
    const line = lines.at(-1)
    if (line && used + gap.length + least <= columns) {
      line.push(cell)
      used += gap.length + least
    } else {
      used = (line ? gap.length : 0) + least
      lines.push([cell])
    }
  }
  return lines
}

const wholeWidth = ({ text, width }: StreamCell): number => Math.max(width, text.length)

/** Shares the room that whole cells leave among the flexible cells, in proportion to their widths. */
function fitted(cells: readonly StreamCell[], columns: number): string {
  const wanted = cells.reduce((sum, { width, isFlexible }) => sum + (isFlexible ? width : 0), 0)
  const whole = cells.reduce((sum, cell) => sum + (cell.isFlexible ? 0 : wholeWidth(cell)), 0)
  const room = Math.min(wanted, columns - whole - gap.length * (cells.length - 1))
  return cells
    .map(({ text, width, isFlexible }) => {
      if (!isFlexible) return safeText(text).padEnd(width)
      const own = Math.max(1, Math.floor((width * room) / wanted))
      return shorten(safeText(text), own).padEnd(own)
    })
    .join(gap)
    .trimEnd()
}
