// History is kept by weeks: Monday to Monday, UTC. Ids of events and deliveries carry their time, so a week is a range of ids.

import { type IdKind, idPrefixes, idTime } from '../../values/ids.ts'

export type Week = {
  /** The day it begins: YYYYMMDD. */
  name: string
  fromMs: number
  /** Where the next week begins. */
  toMs: number
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
// 1970-01-05.
const firstMondayMs = 4 * dayMs

/** Lists the week of this moment and `ahead` weeks after it. */
export function weeksFrom(timeMs: number, ahead: number): Week[] {
  const firstMs = firstMondayMs + Math.floor((timeMs - firstMondayMs) / weekMs) * weekMs
  return Array.from({ length: ahead + 1 }, (_, index) => weekAt(firstMs + index * weekMs))
}

/** Finds a week by its name: the day it begins, YYYYMMDD. */
export function weekNamed(name: string): Week {
  return weekAt(Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6, 8)}`))
}

/** Finds the range of the ids of this kind made in the time: at or above `from`, below `to`. */
export function idRange(kind: IdKind, { fromMs, toMs }: Pick<Week, 'fromMs' | 'toMs'>): { from: string; to: string } {
  return { from: `${idPrefixes[kind]}_${idTime(fromMs)}`, to: `${idPrefixes[kind]}_${idTime(toMs)}` }
}

function weekAt(fromMs: number): Week {
  const name = new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')
  return { name, fromMs, toMs: fromMs + weekMs }
}
