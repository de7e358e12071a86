// Structured logs: one JSON line an event. Secrets and identity data never get here; what slips in is masked on the line itself.

import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { redact } from './redaction.ts'

export type Log = FastifyBaseLogger

/**
 * @param write where lines go; standard error by default, so that standard output stays for people. There the lines of one
 *   turn of the event loop go together: one write for each would cost more than a request
 */
export function createLog(level: string, write: (line: string) => void = writeTogether): Log {
  const stream = { write: (line: string) => write(redact(line)) }
  return pino({ level, timestamp, base: null, messageKey: 'message' }, stream)
}

let writtenMs = 0
let written = ''

/** Written anew once a millisecond: a busy server has many lines in one. */
function timestamp(): string {
  const nowMs = Date.now()
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

function writeGathered(): void {
  const lines = gathered
  gathered = ''
  if (lines !== '') process.stderr.write(lines)
}

// What was said last is what one wants to know.
process.on('exit', writeGathered)
