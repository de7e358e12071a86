// Dates of the calendar, written yyyy-mm-dd.

import { broken, type Reading } from './reading.ts'

/** Nobody alive was born before. */
export const birthYearMin = 1900

export function isRealDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  // V8 takes 30 February for 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** @param yearsMin 0 for any date in the past */
export function readBirthDate(text: string, { yearsMin, nowMs }: { yearsMin: number; nowMs: number }): Reading {
  const value = text.trim()
  if (!isRealDate(value)) return broken('date')
  const today = new Date(nowMs).toISOString().slice(0, 10)
  if (value > today) return broken('dateFuture')
  if (value < `${birthYearMin}-01-01`) return broken('dateTooOld', { year: String(birthYearMin) })
  // Dates in this form compare as text; a person born on 29 February comes of age on 1 March.
  const latest = `${Number(today.slice(0, 4)) - yearsMin}${today.slice(4)}`
  return value > latest ? broken('tooYoung', { years: String(yearsMin) }) : { value }
}
