// Structured logs: one JSON line per event. Secrets and identity data must never get here; the line itself is masked in
// case they do.

import type { FastifyBaseLogger } from 'fastify'
import { pino, stdTimeFunctions } from 'pino'
import { redact } from './redaction.ts'

export type Log = FastifyBaseLogger

/**
 * Creates the log of a process.
 * @param write receives the lines; default: standard error, so that standard output stays for people. Lines of one turn
 * of the event loop are written together: one write per line would cost more than a small request
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

/**
 * Bytes that the reader of a pipe has not read yet. Lines beyond the limit are dropped, because a stalled reader would
 * fill the memory.
 */
const unreadBytesMax = 1024 * 1024

let isHeard = false
let lost = 0

/** Counts the lines that could not be written: standard error has no reader, or a too slow one. */
export function lostLogLines(): number {
  return lost
}

function writeGathered(): void {
  const lines = gathered
  gathered = ''
  if (lines === '') return
  // Without a listener, the EPIPE of a pipe whose reader died would end the process.
  if (!isHeard) process.stderr.on('error', () => {})
  isHeard = true
  if (process.stderr.writableLength > unreadBytesMax) countLost(lines)
  else process.stderr.write(lines, (error) => error && countLost(lines))
}

function countLost(lines: string): void {
  lost += lines.split('\n').length - 1
}

process.on('exit', writeGathered)
