// History is kept by weeks: Monday to Monday, UTC. Ids of events and deliveries carry their time, so a week is a range of ids.

import { type IdKind, idPrefixes, idTime } from '../../values/ids.ts'

export type Week = {
  /** The day it begins: YYYYMMDD. */
  name: string
  fromMs: number
  /** The next one's beginning. */
  toMs: number
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
// 1970-01-05.
const firstMondayMs = 4 * dayMs

/** The week of this moment, and as many after it. */
export function weeksFrom(timeMs: number, ahead: number): Week[] {
  const firstMs = firstMondayMs + Math.floor((timeMs - firstMondayMs) / weekMs) * weekMs
  return Array.from({ length: ahead + 1 }, (_, index) => weekAt(firstMs + index * weekMs))
}

/** @param name the day it begins: YYYYMMDD */
export function weekNamed(name: string): Week {
  return weekAt(Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6, 8)}`))
}

/** Every id of this kind that was made in the time lies at or above `from` and below `to`. */
export function idRange(kind: IdKind, { fromMs, toMs }: Pick<Week, 'fromMs' | 'toMs'>): { from: string; to: string } {
  return { from: `${idPrefixes[kind]}_${idTime(fromMs)}`, to: `${idPrefixes[kind]}_${idTime(toMs)}` }
}

function weekAt(fromMs: number): Week {
  const name = new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')
  return { name, fromMs, toMs: fromMs + weekMs }
}
