// The emulator's own time: the machine's time, moved forward by command. Timestamps and due times follow it. Signatures
// and retries of webhooks follow the machine's time, because receivers compare those with their own clock.
import { refuse } from '../platform/errors.ts'
import { fullObject, integer, parse } from '../platform/fields.ts'
import type { Table } from './table.ts'

/** How far the emulator's time is ahead of the machine's. It is stored, so it outlives a restart. */
export type ClockOffset = { id: 'clock'; offsetMs: number }

export type Clock = {
  /** Returns the emulator's time in unix milliseconds. */
  now(): number
  /** Returns the machine's time in unix milliseconds. */
  machine(): number
  offsetMs(): number
  /** Moves the emulator's time forward. */
  moveBy(ms: number): void
  /** Runs `work` while the sandbox clock is stopped at `instant`. */
  stopAt(instant: number, work: () => void): void
}

const dayMs = 24 * 60 * 60 * 1000
const advanceMsMax = 400 * dayMs

/** Limit of all advances together: with it the year of every date has four digits. */
const offsetMsMax = 100 * 365 * dayMs

/** @param machine returns the machine's time in unix milliseconds */
export const createClock = (offsets: Table<ClockOffset>, machine: () => number): Clock => {
  let stoppedAt: number | undefined
  const offsetMs = () => offsets.get('clock')?.offsetMs ?? 0
  return {
    now: () => stoppedAt ?? machine() + offsetMs(),
    machine,
    offsetMs,
    moveBy: (ms) => {
      offsets.put({ id: 'clock', offsetMs: offsetMs() + ms })
    },
    stopAt: (instant, work) => {
      stoppedAt = instant
      try {
        work()
      } finally {
        stoppedAt = undefined
      }
    },
  }
}

const advance = fullObject({ advance_ms: integer(1, advanceMsMax) })

/**
 * Reads how far a command moves the clock, in milliseconds.
 * @throws Refusal `invalid_parameters`, or `clock_too_far` beyond a century
 */
export const advanceIn = (clock: Clock, body: unknown): number => {
  const { advance_ms } = parse(advance, body)
  if (clock.offsetMs() + advance_ms > offsetMsMax) {
    throw refuse(409, 'clock_too_far', 'The clock is 100 years ahead. POST /_sandbox/reset resets it')
  }
  return advance_ms
}

export const renderClock = (clock: Clock) => ({
  now: new Date(clock.now()).toISOString(),
  offset_ms: clock.offsetMs(),
})
