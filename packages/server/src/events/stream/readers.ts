// Which requests of this process wait for an event of which business. Waiting needs no query: the notification at the
// commit of an event wakes only the readers of its business.

import { EventEmitter } from 'node:events'
import { fail } from '../../platform/errors.ts'
import type { Audience } from '../../platform/postgres/listening/audience.ts'

/** Each reader holds a connection and about 10 KB; the limit of all connections is 10,000. */
const readersMax = 2_000
/** Prevents one business from using all readers. */
const readersOfBusinessMax = 200
const retryAfterSeconds = 5

export type EventReaders = ReturnType<typeof createEventReaders>

export function createEventReaders(audience: Audience) {
  // The event name in the emitter is the ID of a business.
  const news = new EventEmitter().setMaxListeners(readersOfBusinessMax)
  let count = 0
  let closed = false

  const tell = (businessIds: string, isDoubt: boolean) => {
    for (const businessId of businessIds === '' ? news.eventNames() : businessIds.split(','))
      news.emit(businessId, isDoubt)
  }

  audience.whenHeld(() => tell('', false))
  return {
    /** Opens the reader of one poll request. @throws ApiError `too_many_readers` */
    open(businessId: string) {
      const reader = this.openIfFree(businessId)
      if (!reader) throw fail('too_many_readers', { retryAfterSeconds })
      return reader
    },
    /** Opens the reader of one request. @returns null if too many are waiting */
    openIfFree(businessId: string) {
      if (count >= readersMax || news.listenerCount(businessId) >= readersOfBusinessMax) return null
      const bell = doorbell()
      news.on(businessId, bell.ring)
      count += 1
      audience.enter()
      return {
        /**
         * Resolves on news since the reader was opened or last resolved, after `waitMs`, when the caller disconnects,
         * or when the server stops. @returns whether there may be an event to read
         */
        async news(waitMs: number, gone: AbortSignal): Promise<boolean> {
          if (!closed && !gone.aborted && waitMs > 0) await bell.rung(waitMs, gone)
          return bell.take('news') && !closed && !gone.aborted
        },
        /** Returns whether keys of the business have changed since the last call. */
        takeDoubt: () => bell.take('doubt'),
        close() {
          if (!news.listeners(businessId).includes(bell.ring)) return
          news.off(businessId, bell.ring)
          count -= 1
          audience.leave()
        },
      }
    },
    /** Wakes the readers of these businesses. @param businessIds separated by commas; an empty string means all */
    onNotify(businessIds: string): void {
      tell(businessIds, false)
    },
    /** Wakes the readers of these businesses, whose keys have changed: each must authenticate again. */
    onKeysChanged(businessIds: string): void {
      tell(businessIds, true)
    },
    /** Ends all waits, and rejects new ones. */
    close(): void {
      closed = true
      tell('', false)
    },
  }
}

function doorbell() {
  const has = { news: false, doubt: false }
  let wake = () => {}
  return {
    ring(isDoubt: boolean): void {
      has.news = true
      has.doubt ||= isDoubt
      wake()
    },
    take(what: keyof typeof has): boolean {
      const was = has[what]
      has[what] = false
      return was
    },
    async rung(maxMs: number, gone: AbortSignal): Promise<void> {
      if (has.news) return
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const timer = setTimeout(resolve, maxMs)
      gone.addEventListener('abort', () => resolve(), { once: true })
      await promise
      clearTimeout(timer)
    },
  }
}
