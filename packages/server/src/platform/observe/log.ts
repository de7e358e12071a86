// Structured logs: one JSON line an event. Secrets and identity data never get here; what slips in is masked on the line itself.

import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { redact } from './redaction.ts'

export type Log = FastifyBaseLogger & {
  /**
   * A line whose members stand as JSON already, such as `"status":200,"message":"request"`: the one of every request cannot
   * afford to have each value looked through. Nothing that might need escaping or masking goes in here.
   */
  line(level: 'debug' | 'info' | 'warn', members: string): void
}

/**
 * @param write where lines go; standard error by default, so that standard output stays for people. There the lines of one
 *   turn of the event loop go together: one write for each would cost more than a request
 */
export function createLog(level: string, write?: (line: string) => void): Log {
  const put = write ?? writeTogether
  const stream = { write: (line: string) => put(redact(line)) }
  const log = pino({ level, timestamp, base: null, messageKey: 'message' }, stream)
  return Object.assign(log, {
    line(lineLevel: 'debug' | 'info' | 'warn', members: string): void {
      if (!log.isLevelEnabled(lineLevel)) return
      put(`{"level":${log.levels.values[lineLevel]}${timestamp()},${members}}\n`)
    },
  })
}

let writtenMs = 0
let written = ''

/** The lines that go together bear the time of the first: to ask for it was a third of what a line costs. */
function timestamp(): string {
  const nowMs = gathered === '' ? Date.now() : writtenMs
  if (nowMs !== writtenMs) {
    writtenMs = nowMs
    written = `,"time":"${new Date(nowMs).toISOString()}"`
  }
  return written
}

let gathered = ''

function writeTogether(line: string): void {
  if (gathered === '') setImmediate(writeGathered)
  gathered += line
}

/** What the reader of a pipe has not taken yet: lines beyond it are lost, or a reader that stalls would fill the memory. */
const unreadBytesMax = 1024 * 1024

let isHeard = false
let lost = 0

/** Lines that could not be written, because nobody reads standard error any more or its reader is too slow. */
export function lostLogLines(): number {
  return lost
}

function writeGathered(): void {
  const lines = gathered
  gathered = ''
  if (lines === '') return
  // Without a listener the EPIPE of a pipe whose reader died would end the process.
  if (!isHeard) process.stderr.on('error', () => {})
  isHeard = true
  if (process.stderr.writableLength > unreadBytesMax) countLost(lines)
  else process.stderr.write(lines, (error) => error && countLost(lines))
}

function countLost(lines: string): void {
  lost += lines.split('\n').length - 1
}

// What was said last is what one wants to know.
process.on('exit', writeGathered)
