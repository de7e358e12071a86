// Interim responses (1xx) on a connection. A client accepts each of them, requested or not (RFC 9110, 15.2), but undici
// ends the connection at a `100 Continue`. So the status 100 is read as 102, which undici passes to the exchange like
// every other interim response; the exchange counts them.

import type { Socket } from 'node:net'

const continues = 'HTTP/1.1 100'
const interimStatus = /^HTTP\/1\.[01] 1\d\d$/
const digitTwo = '2'.charCodeAt(0)
const headEnd = '\r\n\r\n'

/** Makes a socket show each status 100 as 102. @returns the same socket */
export function acceptContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null
  const answers = new InterimAnswers()
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const bytes = read(size)
      if (bytes === null) return null
      const passed = answers.pass(bytes, socket.bytesWritten)
      if (passed.length > 0) return passed
    }
  }
  return socket
}

/** `start`: a status line comes next; `interim`: in the head of an interim response; `final`: in the final response. */
type Place = 'start' | 'interim' | 'final'

/** Tracks one connection without pipelining. */
export class InterimAnswers {
  #place: Place = 'final'
  #bytesWritten = 0
  /** The first part of a status line or of the end of a head, which the next bytes complete. */
  #held: Buffer = Buffer.alloc(0)

  /** @param bytesWritten on this connection so far: it grows with each request, which starts the next response */
  pass(bytes: Buffer, bytesWritten: number): Buffer {
    if (this.#place === 'final' && bytesWritten > this.#bytesWritten) this.#place = 'start'
    this.#bytesWritten = bytesWritten
    if (this.#place === 'final') return bytes
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes
    const from = this.#follow(all)
    this.#held = all.subarray(from)
    return all.subarray(0, from)
  }

  /** @returns the index from which the bytes are held back until more arrive */
  #follow(bytes: Buffer): number {
    let at = 0
    while (this.#place !== 'final') {
      if (this.#place === 'interim') {
        const end = bytes.indexOf(headEnd, at)
        if (end < 0) return Math.max(at, bytes.length - headEnd.length + 1)
        at = end + headEnd.length
        this.#place = 'start'
        continue
      }
      const line = bytes.toString('latin1', at, at + continues.length)
      const isInterim = interimStatus.test(line + continues.slice(line.length))
      if (isInterim && line.length < continues.length) return at
      if (isInterim && line.endsWith(' 100')) bytes[at + continues.length - 1] = digitTwo
      this.#place = isInterim ? 'interim' : 'final'
    }
    return bytes.length
  }
}
