// Who waits for events of which business, in this process. Waiting asks nobody anything: the notification that the commit
// of an event sends rouses the readers of its business, and no others.

import { fail } from '../platform/errors.ts'

/** One pull request that may wait. */
export type EventReader = {
  /**
   * Resolves at news since it was opened or last resolved, after `waitMs`, when the caller is gone, or when the server
   * stops. @returns whether there may be something to read
   */
  news(waitMs: number, gone: AbortSignal): Promise<boolean>
  close(): void
}

export type EventReaders = {
  /** @throws ApiError `too_many_readers` */
  open(businessId: string): EventReader
  /** @param businessIds separated by commas; nothing means any */
  hear(businessIds: string): void
  /** From now on nobody waits. */
  close(): void
}

/** Each holds a connection and some 10 KB; all connections together are 10,000. */
const readersMax = 2_000
/** So that one business can not take them all. */
const readersOfBusinessMax = 200
const retryAfterSeconds = 5

type Open = { hasNews: boolean; rouse(): void }

export function createEventReaders(): EventReaders {
  const readers = new Map<string, Set<Open>>()
  let count = 0
  let closed = false

  const rouse = (open: Iterable<Open>): void => {
    for (const reader of open) {
      reader.hasNews = true
      reader.rouse()
    }
  }

  return {
    open(businessId) {
      const ofBusiness = readers.get(businessId) ?? new Set()
      if (count >= readersMax || ofBusiness.size >= readersOfBusinessMax)
        throw fail('too_many_readers', { retryAfterSeconds })
      const reader: Open = { hasNews: false, rouse() {} }
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
    hear(businessIds) {
      if (businessIds === '') for (const open of readers.values()) rouse(open)
      else for (const id of businessIds.split(',')) rouse(readers.get(id) ?? [])
    },
    close() {
      closed = true
      for (const open of readers.values()) rouse(open)
    },
  }
}

async function sleep(reader: Open, waitMs: number, gone: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  reader.rouse = resolve
  const timer = setTimeout(resolve, waitMs)
  gone.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
