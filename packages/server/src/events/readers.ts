// Who waits for events of which business, in this process. A wait costs no query: the notification that the commit of an
// event sends wakes the readers of its business, and no others.

import { fail } from '../platform/errors.ts'

/** One pull request that may wait. */
export type EventReader = {
  /**
   * Resolves at news since the reader was opened or last resolved, after `waitMs`, when the caller is gone, or when the
   * server stops. @returns whether there may be something to read
   */
  news(waitMs: number, gone: AbortSignal): Promise<boolean>
  close(): void
}

export type EventReaders = {
  /** @throws ApiError `too_many_readers` */
  open(businessId: string): EventReader
  /** Wakes the readers of these businesses. @param businessIds separated by commas; nothing means all */
  onNotify(businessIds: string): void
  /** Ends all waits, and lets no other begin. */
  close(): void
}

/** Each holds a connection and some 10 KB; all connections together are 10,000. */
const readersMax = 2_000
/** Keeps one business from taking all readers. */
const readersOfBusinessMax = 200
const retryAfterSeconds = 5

type Waiting = { hasNews: boolean; wake(): void }

export function createEventReaders(): EventReaders {
  const readers = new Map<string, Set<Waiting>>()
  let count = 0
  let closed = false

  const wake = (waiting: Iterable<Waiting> = []): void => {
    for (const reader of waiting) {
      reader.hasNews = true
      reader.wake()
    }
  }
  const wakeAll = () => {
    for (const waiting of readers.values()) wake(waiting)
  }

  return {
    open(businessId) {
      const ofBusiness = readers.get(businessId) ?? new Set()
      if (count >= readersMax || ofBusiness.size >= readersOfBusinessMax)
        throw fail('too_many_readers', { retryAfterSeconds })
      const reader: Waiting = { hasNews: false, wake() {} }
      readers.set(businessId, ofBusiness.add(reader))
      count += 1
      return {
        async news(waitMs, gone) {
          if (!reader.hasNews && !closed && !gone.aborted && waitMs > 0) await sleep(reader, waitMs, gone)
          const { hasNews } = reader
          reader.hasNews = false
          return hasNews && !closed && !gone.aborted
        },
        close() {
          if (!ofBusiness.delete(reader)) return
          count -= 1
          if (ofBusiness.size === 0 && readers.get(businessId) === ofBusiness) readers.delete(businessId)
        },
      }
    },
    onNotify(businessIds) {
      if (businessIds === '') wakeAll()
      else for (const id of businessIds.split(',')) wake(readers.get(id))
    },
    close() {
      closed = true
      wakeAll()
    },
  }
}

async function sleep(reader: Waiting, waitMs: number, gone: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  reader.wake = resolve
  const timer = setTimeout(resolve, waitMs)
  gone.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
