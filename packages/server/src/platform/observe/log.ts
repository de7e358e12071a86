// Structured logs: one JSON line an event. Secrets and identity data never get here; what slips in is masked on the line itself.

import type { FastifyBaseLogger } from 'fastify'
import { pino, stdTimeFunctions } from 'pino'
import { redact } from './redaction.ts'

export type Log = FastifyBaseLogger

/**
 * Makes the log of a process.
 * @param write where lines go; standard error by default, so that standard output stays for people. The lines of one turn
 *   of the event loop go there together: one write for each would cost more than a small request
 */
export function createLog(level: string, write: (line: string) => void = writeTogether): Log {
  const options = { level, timestamp: stdTimeFunctions.isoTime, base: null, messageKey: 'message' }
  return pino(options, { write: (line) => write(redact(line)) })
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

/** Counts the lines that could not be written: nobody reads standard error any more, or its reader is too slow. */
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

process.on('exit', writeGathered)
