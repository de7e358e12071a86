// The lines that `npm start` prints in the terminal: one for each request, event and delivery.

import { eventSources } from '../../server/src/events/catalogue.rules.ts'
import { pullEvents } from '../../server/src/events/stream/stream.ts'
import type { RunningServer } from '../../server/src/main.ts'
import { safeText } from './output/safe-text.ts'

type Line = Readonly<Record<string, unknown>>
type Say = (text: string) => void

const pullMs = 30_000
const retryMs = 1_000

/**
 * Creates the writer of a log for people. Warnings go to standard error.
 * @param line one line of JSON
 */
export function readableLog(hasColor: boolean, say: Say, complain: Say): (line: string) => void {
  const show = rowWriter(hasColor, say)
  return (line) => {
    const facts = JSON.parse(line) as Line
    const { time, level, message } = facts
    if (message === 'request') {
      show(time, facts['method'], facts['route'], facts['status'], facts['ms'], facts['error'])
    } else if (message === 'delivery attempt') {
      const { eventType, httpStatus, outcome, durationMs, attempt } = facts
      const note = `${facts['endpoint']}${attempt === 1 ? '' : ` attempt ${attempt}`}`
      show(time, 'deliver', eventType, httpStatus ?? outcome, durationMs, note)
    } else if (Number(level) >= 40) complain(noteOf(facts))
  }
}

/** A line for all other log entries. */
function noteOf({ level, time, message, ...facts }: Line): string {
  const kind = Number(level) >= 50 ? 'error' : 'warning'
  const rest = Object.keys(facts).length === 0 ? '' : ` ${JSON.stringify(facts)}`
  return `  ${String(time).slice(11, 19)} ${kind}: ${message}${rest}`
}

const colors = { good: 32, moved: 36, refused: 33, failed: 31, dim: 2 }

function rowWriter(hasColor: boolean, say: Say) {
  const paint = (color: keyof typeof colors, text: string): string =>
    hasColor ? `\u001b[${colors[color]}m${text}\u001b[0m` : text
  return (time: unknown, kind: unknown, what: unknown, status: unknown, ms: unknown, note: unknown): void => {
    const took = ms === undefined ? '' : `${Math.round(Number(ms))} ms`
    const cells = [
      paint('dim', String(time).slice(11, 19)),
      safeText(String(kind)).padEnd(7),
      safeText(String(what)).padEnd(48),
      paint(colorOf(status), safeText(String(status ?? '')).padEnd(3)),
      took.padStart(8),
      paint('dim', safeText(String(note ?? ''))),
    ]
    say(`  ${cells.join(' ').trimEnd()}`)
  }
}

function colorOf(status: unknown): keyof typeof colors {
  if (status === undefined) return 'dim'
  const code = Number(status)
  if (!(code < 500)) return 'failed'
  return code < 300 ? 'good' : code < 400 ? 'moved' : 'refused'
}

/** Shows each new event of a business, until the signal. Waits while the database is unavailable. */
export async function followEvents(
  { deps }: RunningServer,
  businessId: string,
  { hasColor, say, gone }: { hasColor: boolean; say: Say; gone: AbortSignal },
): Promise<void> {
  const show = rowWriter(hasColor, say)
  for (let start: 'newest' | number = 'newest'; !gone.aborted; ) {
    try {
      const { events, next } = await pullEvents(
        deps,
        { id: businessId },
        { start, limit: 100, sources: eventSources, waitMs: pullMs, gone, admitAgain: null },
      )
      start = next
      for (const { eventType: type, createdAt, id, externalUserId } of events)
        show(createdAt, 'event', type, undefined, undefined, externalUserId ?? id)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs)) // the log has the error
    }
  }
}
