// Structured logs: one JSON line an event. Secrets and identity data never get here; keys that slip in are masked on the line itself.

import { Writable } from 'node:stream'
import Fastify, { type FastifyBaseLogger } from 'fastify'

export type Log = FastifyBaseLogger

/** Anything that looks like one of our credentials, wherever it stands in the serialised line. */
const secretPattern = /\b(svc_(?:test|live)_|whsec_|sk-(?:test|live)-)[A-Za-z0-9+/=_-]{4,}/g

/** @param write where lines go; standard error by default, so that standard output stays for people */
export function createLog(level: string, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      write(String(chunk).replace(secretPattern, '$1…'))
      done()
    },
  })
  const timestamp = () => `,"time":"${new Date().toISOString()}"`
  // Fastify brings the logger (pino) and makes it with a server; that server never listens, and is dropped at once.
  return Fastify({ logger: { level, timestamp, base: null, messageKey: 'message', stream } }).log
}
