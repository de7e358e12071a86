// One direction of a connection: pieces go out in order, each in its time.

import type { Socket } from 'node:net'

type Piece = { bytes: Buffer; dueMs: number }

const waitingBytesMax = 1024 * 1024
const slicesPerSecond = 50

export type Pace = { delayMs: () => number; bytesPerSecond: number | null }

export class Lane {
  /** Bytes that were passed on. */
  passed = 0
  readonly #source: Socket
  readonly #sink: Socket
  readonly #pace: () => Pace
  readonly #queue: Piece[] = []
  #waitingBytes = 0
  #isRunning = false
  #atEnd: ((sink: Socket) => unknown) | null = null
  #isStalled = false
  #lastDueMs = 0

  constructor(source: Socket, sink: Socket, pace: () => Pace) {
    this.#source = source
    this.#sink = sink
    this.#pace = pace
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return
    // Never earlier than what went before, so that jitter does not reorder.
    this.#lastDueMs = Math.max(this.#lastDueMs, performance.now() + this.#pace().delayMs())
    this.#queue.push({ bytes, dueMs: this.#lastDueMs })
    this.#waitingBytes += bytes.length
    this.#flow()
    this.#start()
  }

  /** Ends the sink once everything has gone out. */
  end(): void {
    this.#atEnd = (sink) => sink.end()
    this.#start()
  }

  /** As `end`, and destroys the sink, so nothing more is read from it. */
  destroySink(): void {
    this.#atEnd = (sink) => sink.destroySoon()
    this.#start()
  }

  stall(isStalled: boolean): void {
    this.#isStalled = isStalled
    this.#flow()
    this.#start()
  }

  #flow(): void {
    if (this.#isStalled || this.#waitingBytes > waitingBytesMax) this.#source.pause()
    else if (this.#source.isPaused()) this.#source.resume()
  }

  #start(): void {
    if (this.#isRunning || this.#isStalled) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
    })
  }

  async #run(): Promise<void> {
    for (let piece = this.#queue.shift(); piece; piece = this.#queue.shift()) {
      await until(piece.dueMs)
      await this.#write(piece.bytes)
      this.#waitingBytes -= piece.bytes.length
      if (this.#isStalled || this.#sink.destroyed) return
      this.#flow()
    }
    this.#atEnd?.(this.#sink)
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const { bytesPerSecond } = this.#pace()
      const slice = rest.subarray(
        0,
        bytesPerSecond === null ? rest.length : Math.ceil(bytesPerSecond / slicesPerSecond),
      )
      rest = rest.subarray(slice.length)
      if (this.#sink.destroyed) return
      this.passed += slice.length
      if (!this.#sink.write(slice)) await drained(this.#sink)
      if (bytesPerSecond !== null) await until(performance.now() + (slice.length / bytesPerSecond) * 1_000)
    }
  }
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('drain', resolve)
  socket.once('close', resolve)
  return promise
}

/** A timer counts from the time that its loop last looked at, so that it may end early: it is set again. */
async function until(ms: number): Promise<void> {
  for (let leftMs = ms - performance.now(); leftMs > 0; leftMs = ms - performance.now())
    await new Promise((over) => setTimeout(over, Math.ceil(leftMs)))
}
