// One connection through a fault proxy: two lanes, and what the fault of the moment does to them.

import type { Socket } from 'node:net'
import type { CommitFault, Direction, Fault } from './faults.ts'
import { Lane, type Pace } from './lane.ts'
import { FrontendStream } from './postgres-stream.ts'

/** Asked at each COMMIT whether this one is to be struck. */
export type StrikesCommit = (fault: CommitFault, transaction: readonly string[]) => boolean

export class ProxiedConnection {
  readonly #sockets: Record<Direction, Socket>
  readonly #lanes: Record<Direction, Lane>
  readonly #messages: FrontendStream | null
  readonly #strikesCommit: StrikesCommit
  readonly #struck: () => void
  #fault: Fault | null = null
  #leftBytes = Number.POSITIVE_INFINITY
  /** Its stream has holes: it can only be ended. */
  #isBroken = false
  #losesAnswer = false

  constructor(
    client: Socket,
    server: Socket,
    how: { speaksPostgres: boolean; strikesCommit: StrikesCommit; struck: () => void },
  ) {
    // By the direction in which they send.
    this.#sockets = { toServer: client, toClient: server }
    this.#strikesCommit = how.strikesCommit
    this.#struck = how.struck
    this.#messages = how.speaksPostgres ? new FrontendStream() : null
    const pace = () => paceOf(this.#fault)
    this.#lanes = { toServer: new Lane(client, server, pace), toClient: new Lane(server, client, pace) }
    for (const direction of ['toServer', 'toClient'] as const) {
      const socket = this.#sockets[direction]
      socket.setNoDelay(true)
      socket.on('data', (chunk: Buffer) => this.#take(direction, chunk))
      socket.on('end', () => this.#takeEnd(direction))
      socket.on('error', () => this.#passOnEnd())
      socket.on('close', (hadError) => hadError && this.#passOnEnd())
    }
  }

  /** From now on; null heals. A connection that has lost bytes is reset then. */
  set(fault: Fault | null): void {
    this.#fault = fault
    if (this.#isBroken && fault === null) {
      this.reset()
      return
    }
    this.#leftBytes = fault?.kind === 'cut' ? fault.afterBytes : Number.POSITIVE_INFINITY
    for (const lane of Object.values(this.#lanes)) lane.stall(fault?.kind === 'stall')
    if (fault?.kind === 'reset') {
      this.#struck()
      this.reset()
    }
    if (fault?.kind === 'halfOpen') {
      this.#struck()
      this.#isBroken = true
      this.#sockets[fault.closed === 'client' ? 'toServer' : 'toClient'].destroy()
    }
  }

  reset(): void {
    for (const socket of Object.values(this.#sockets)) reset(socket)
  }

  #take(direction: Direction, chunk: Buffer): void {
    if (this.#losesAnswer && direction === 'toClient' && transactionEnd.test(chunk.toString('latin1'))) {
      // The server has done it, and says so to nobody. Responses to statements that were sent with the COMMIT pass.
      this.#struck()
      this.reset()
      return
    }
    if (this.#isSwallowed(direction)) {
      if (!this.#isBroken) this.#struck()
      this.#isBroken = true
      return
    }
    if (direction === 'toServer' && this.#messages) this.#takeMessages(this.#messages, chunk)
    else this.#pass(direction, chunk)
  }

  #takeEnd(direction: Direction): void {
    if (this.#isSwallowed(direction)) this.#isBroken = true
    else this.#lanes[direction].end()
  }

  #takeMessages(messages: FrontendStream, chunk: Buffer): void {
    for (const { bytes, commits } of messages.take(chunk)) {
      const fault = this.#fault
      if (commits && fault?.kind === 'commit' && this.#strikesCommit(fault, commits)) {
        this.#losesAnswer = fault.arrives
        if (fault.arrives) this.#lanes.toServer.push(bytes)
        else {
          this.#struck()
          this.reset()
        }
        return
      }
      this.#pass('toServer', bytes)
    }
  }

  #pass(direction: Direction, bytes: Buffer): void {
    const counts = this.#fault?.kind === 'cut' && this.#fault.direction === direction
    if (!counts || bytes.length <= this.#leftBytes) {
      if (counts) this.#leftBytes -= bytes.length
      this.#lanes[direction].push(bytes)
      return
    }
    this.#lanes[direction].push(bytes.subarray(0, this.#leftBytes))
    this.#lanes[direction].destroySink()
    this.#leftBytes = 0
    this.#struck()
    this.#isBroken = true
    this.#sockets[direction].destroy()
  }

  #isSwallowed(direction: Direction): boolean {
    if (this.#isBroken) return true
    const fault = this.#fault
    return fault?.kind === 'blackHole' && (fault.direction ?? direction) === direction
  }

  /** A black hole tells nobody of the other's end. */
  #passOnEnd(): void {
    if (this.#fault?.kind === 'blackHole' || this.#fault?.kind === 'halfOpen') this.#isBroken = true
    else this.reset()
  }
}

/** CommandComplete of a transaction's end. */
const transactionEnd = /C\0\0\0.(COMMIT|ROLLBACK)\0/s

function paceOf(fault: Fault | null): Pace {
  const delayMs = () => (fault?.kind === 'latency' ? fault.ms + Math.random() * (fault.jitterMs ?? 0) : 0)
  return { delayMs, bytesPerSecond: fault?.kind === 'bandwidth' ? fault.bytesPerSecond : null }
}

/** A socket that is not connected, is no TCP or is ending can only be closed: libuv would never reset it. */
function reset(socket: Socket): void {
  if (socket.remoteFamily === undefined || socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
