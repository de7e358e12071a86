// Structured logs: one JSON line an event. Secrets and identity data never get here; what slips in is masked on the line itself.

import { Writable } from 'node:stream'
import { type Logger, pino, stdTimeFunctions } from 'pino'
import { redact } from './redaction.ts'

export type Log = Logger

/** @param write where lines go; standard error by default, so that standard output stays for people */
export function createLog(level: string, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      write(redact(String(chunk)))
      done()
    },
  })
  return pino({ level, timestamp: stdTimeFunctions.isoTime, base: null, messageKey: 'message' }, stream)
}
