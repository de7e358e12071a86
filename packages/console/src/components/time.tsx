// Relative times; the title has the exact time in UTC and in the reader's time zone.

import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** “34m ago”, “in 2h”, “now”. */
function shortTime(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000)
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  if (Math.abs(seconds) < 10) return 'now'
  const text = `${Math.abs(Math.round(seconds / length))}${unit === 'month' ? 'mo' : unit.charAt(0)}`
  return seconds > 0 ? `in ${text}` : `${text} ago`
}

const IsShort = createContext(false)

/** Within it, times are as short as a column of a table needs them. */
export const ShortTimes = ({ children }: { children: ReactNode }) => <IsShort value>{children}</IsShort>

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const format = { dateStyle: 'medium', timeStyle: 'medium' } as const
const absolute = new Intl.DateTimeFormat('en-GB', format)
const absoluteUtc = new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' })

/** “3 minutes ago”, “in 2 hours”, “just now”. */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000)
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit)
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second')
}

/** How long something took: “340 ms”, “12 s”, “3 min 20 s”, “2 d 3 h”. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

// One clock for all times on a page: a list of a hundred rows does not need a hundred timers.
const tickMs = 10_000
let nowMs = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  nowMs = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    nowMs = Date.now()
    for (const listen of listeners) listen()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const now = () => nowMs

export function TimeAgo({ at }: { at: string | null | undefined }) {
  const current = useSyncExternalStore(subscribe, now)
  const textOf = useContext(IsShort) ? shortTime : relativeTime
  if (at == null) return <span className="text-soft">never</span>
  const date = new Date(at)
  return (
    <time dateTime={at} title={`${absolute.format(date)}, ${at} UTC`} className="whitespace-nowrap">
      {textOf(date.getTime(), Math.max(current, Date.now() - tickMs))}
    </time>
  )
}

/** The time itself: in the reader's zone, or in UTC where days are days of UTC. */
export function Time({ at, isUtc = false }: { at: string; isUtc?: boolean }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={isUtc ? absolute.format(date) : `${at} UTC`} className="whitespace-nowrap tabular-nums">
      {isUtc ? `${absoluteUtc.format(date)} UTC` : absolute.format(date)}
    </time>
  )
}
