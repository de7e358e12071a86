// The emulator's own time: the machine's, moved forward by command. What is shown and what is due goes by it; signatures
// and the waits between webhook attempts go by the machine's time, since receivers compare those with their own clock.
import { refuse } from '../platform/errors.ts'
import { integer, object, parse } from '../platform/fields.ts'
import type { State } from './state.ts'

export type Clock = {
  /** Unix milliseconds of the emulator's time. */
  now(): number
  /** Unix milliseconds of the machine's time. */
  real(): number
  offsetMs(): number
  /** Moves the emulator's time forward. */
  moveBy(ms: number): void
  /** Does `work` with the time standing at `instant`. */
  standingAt(instant: number, work: () => void): void
}

const dayMs = 24 * 60 * 60 * 1000
const advanceMsMax = 400 * dayMs

/** All advances together: keeps every date of a long-lived sandbox one that has four digits for its year. */
const offsetMsMax = 100 * 365 * dayMs

export const createClock = (offsets: State['clock'], real: () => number): Clock => {
  let standing: number | undefined
  const offsetMs = () => offsets.get('clock')?.offsetMs ?? 0
  const now = () => standing ?? real() + offsetMs()
  return {
    now,
    real,
    offsetMs,
    moveBy: (ms) => {
      offsets.put({ id: 'clock', offsetMs: offsetMs() + ms })
    },
    standingAt: (instant, work) => {
      standing = instant
      try {
        work()
      } finally {
        standing = undefined
      }
    },
  }
}

const advance = object({ advance_ms: integer(1, advanceMsMax) }, ['advance_ms'])

/** Checks how far a command wants to go. */
export const advanceIn = (clock: Clock, body: unknown): number => {
  const advanceMs = Number(parse(advance, body)['advance_ms'])
  if (clock.offsetMs() + advanceMs > offsetMsMax) {
    throw refuse(409, 'clock_too_far', 'The clock is a century ahead: POST /_sandbox/reset puts it back')
  }
  return advanceMs
}

export const renderClock = (clock: Clock) => ({
  now: new Date(clock.now()).toISOString(),
  offset_ms: clock.offsetMs(),
})
