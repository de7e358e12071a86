// Sends messages that are due: at least once, a few of each business at a time, and no channel waits for another.

import type { Log } from '../../platform/observe/log.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { mailTimeoutMs } from './mail.ts'
import * as store from './messages.store.ts'
import { type Attempted, retryInSeconds } from './retry.rules.ts'
import { type SendsTo, sendMessage } from './send.ts'

export type Sends = SendsTo & { db: Database; log: Log }

const sendsMax = 64
/** Receivers that have failed may hold this many of the sends, and those of one business few. */
const retriesMax = 32
const retriesPerBusiness = 2
const inFlightPauseMs = 1_000
// Longer than an attempt and the statement that stores its outcome.
const leaseMs = mailTimeoutMs + 15_000

export class Outbox {
  readonly #deps: Sends
  readonly #wake: () => void
  readonly #sending = new Map<Promise<void>, store.ClaimedMessage>()
  readonly #abort = new AbortController()

  /** @param wake called after each send: there is room for another */
  constructor(deps: Sends, wake: () => void) {
    this.#deps = deps
    this.#wake = wake
  }

  /** Claims messages and begins to send them. @returns whether more may be due now */
  async turn(): Promise<boolean> {
    const inFlight = [...this.#sending.values()]
    const retries = inFlight.filter(({ attempts }) => attempts > 1)
    const room = {
      messages: sendsMax - inFlight.length,
      retries: retriesMax - retries.length,
      retriesPerBusiness,
      busy: [...new Set(retries.map(({ businessId }) => businessId))],
    }
    if (room.messages === 0 || this.#abort.signal.aborted) return false
    const claimed = await this.#deps.db.transaction((tx) => store.claimMessages(tx, room, leaseMs))
    for (const message of claimed) this.#begin(message)
    return claimed.length === room.messages
  }

  /** While sends are in flight, a due message may wait for its turn: the end of a send wakes the loop. */
  async nextDueMs(): Promise<number | null> {
    const dueMs = await this.#deps.db.read(store.nextMessageDueMs)
    return dueMs !== null && this.#sending.size > 0 ? Math.max(dueMs, inFlightPauseMs) : dueMs
  }

  /** Aborts the sends in flight, and waits for their outcomes. */
  async stop(): Promise<void> {
    this.#abort.abort()
    this.#deps.sender.abort()
    await Promise.all(this.#sending.keys())
    await this.#deps.sender.close()
  }

  #begin(message: store.ClaimedMessage): void {
    const sending = this.#send(message)
      .catch((err: unknown) => this.#deps.log.error({ err, alertMessage: message.id }, 'alert message not settled'))
      .finally(() => {
        this.#sending.delete(sending)
        this.#wake()
      })
    this.#sending.set(sending, message)
  }

  async #send(message: store.ClaimedMessage): Promise<void> {
    const attempted = await sendMessage(this.#deps, message, this.#abort.signal)
    await this.#deps.db.transaction(async (tx) => {
      if (attempted.result === 'aborted') await store.returnMessage(tx, message)
      else await store.settleMessage(tx, message, settledOf(message, attempted))
    })
    if (attempted.result === 'failed') {
      const { id: alertMessage, channelId: alertChannel, attempts } = message
      this.#deps.log.warn({ alertMessage, alertChannel, attempts, outcome: attempted.said }, 'alert message not sent')
    }
  }
}

function settledOf(
  { attempts, ageMs }: store.ClaimedMessage,
  attempted: Exclude<Attempted, { result: 'aborted' }>,
): store.Settled {
  const outcome = attempted.said
  if (attempted.result === 'sent') return { state: 'sent', outcome, retryInSeconds: null }
  const delaySeconds = attempted.isFinal ? null : retryInSeconds(attempts, ageMs)
  return { state: delaySeconds === null ? 'failed' : 'pending', outcome, retryInSeconds: delaySeconds }
}
