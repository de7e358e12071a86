// Events that never reached us, taken in from the provider's own record. A pull reads that record from a durable cursor to
// its end, page by page; each page is a turn of its own, so that any replica goes on where another one was ended. Where the
// provider has no such record, the pull reads the history of all accounts instead.

import type { Deps } from '../../app/context.ts'
import { ingestEvent } from '../../events/ingest/ingest.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { resumeDelivery } from '../connection/connection.ts'
import { isOutage } from '../operations/operations.ts'
import { ProviderError } from '../port.ts'
import type { ListedEvent, ListedEvents } from '../types.ts'
import { type HistoryProgress, pullHistoryPage } from './history-pull.ts'
import * as store from './pull.store.ts'
import { requestRereadWalk } from './reread.store.ts'
import { walkAgainInSeconds } from './reread.ts'
import { closeGapsUpTo, joinRanges, lowestGap, type SequenceRanges } from './sequence-ranges.rules.ts'

// The provider's largest page is 500, but a page of ours must stay below the 4 MiB that are read of an answer, and events
// carry whole customers: 200 may have 20 KB each.
const pageEventsMax = 200
/** Waits after a gap was seen (its event may be on its way), and after a pull that failed; both double, up to the period. */
const gapSeconds = 5
const retrySeconds = 5
const storeTriesMax = 5
/** Setting the provider's own delivery going again costs it a request, and us an answer. */
const resendSecondsMin = 3_600

/** How long an event is left to its webhook: a minute, less where the period is short. */
const settleSeconds = (deps: Deps): number => Math.min(60, periodSeconds(deps) / 5)
const periodSeconds = (deps: Deps): number => deps.config.reconcilePeriodSeconds

/** A turn makes one call of the provider; past it, the holder is gone. */
const leaseMs = (deps: Deps): number => deps.config.providerTimeoutMs + 2_000

/**
 * Takes in one page of the provider's record, when a pull is due or runs. Crosses businesses.
 * @returns whether there is more to do right now
 * @throws ApiError `database_unavailable`
 */
export async function pullEvents(deps: Deps): Promise<boolean> {
  const pull = await deps.db.transaction((tx) => store.claimEventPull(tx, leaseMs(deps)))
  if (!pull) return false
  try {
    const page = pull.historyReadId === null ? await nextPage(deps, pull) : 'absent'
    if (page === 'absent') {
      const progress = await pullHistoryPage(deps, pull, settleSeconds(deps) * 1_000)
      return await settleHistoryPage(deps, pull, progress)
    }
    return await settlePage(deps, pull, await takeInPage(deps, pull, page))
  } catch (error) {
    if (!(error instanceof ProviderError) && isOutage(error)) throw error
    await giveUpPull(deps, pull, error)
    return false
  }
}

type Page = ListedEvents & { restarted: boolean }

/**
 * The provider may have forgotten the event we stopped at, after 90 days: then from the oldest it has.
 * @returns `absent` where the provider has no record at all: the operation is missing from its document of December 2025
 */
async function nextPage(deps: Deps, pull: store.EventPullRow): Promise<Page | 'absent'> {
  // An answer that is too large for us reads as an outage: after each failure a smaller one is asked for.
  const limit = Math.max(1, pageEventsMax >> Math.min(pull.failures, 8))
  const startingAfter = pull.readEventId ?? pull.cursorEventId
  if (startingAfter === null) return await oldestPage(deps, limit, false)
  try {
    return { ...(await deps.provider.listWebhookEvents({ limit, startingAfter })), restarted: false }
  } catch (error) {
    // One that it named itself a moment ago is not forgotten.
    if (!isForgotten(error) || pull.readEventId !== null) throw error
    const page = await oldestPage(deps, limit, true)
    if (page !== 'absent')
      deps.log.warn(
        'the provider no longer knows the event up to which its record was read: reading it from the oldest',
      )
    return page
  }
}

async function oldestPage(deps: Deps, limit: number, restarted: boolean): Promise<Page | 'absent'> {
  try {
    return { ...(await deps.provider.listWebhookEvents({ limit })), restarted }
  } catch (error) {
    if (error instanceof ProviderError && error.status === 404) return 'absent'
    throw error
  }
}

/** 403 says that our key may not read the record at all. */
function isForgotten(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false
  return error.status === 404 || (error.kind === 'rejected' && error.status !== 403)
}

type Progress = Pick<store.EventPullRow, 'cursorEventId' | 'readEventId' | 'missed' | 'fresh'> & {
  more: boolean
  restarted: boolean
}

async function takeInPage(deps: Deps, pull: store.EventPullRow, page: Page): Promise<Progress> {
  const settledBefore = (page.answeredAtMs ?? deps.now()) - settleSeconds(deps) * 1_000
  const isYoung = (event: ListedEvent) => (event.createdAtMs ?? 0) > settledBefore
  const firstYoung = page.events.findIndex(isYoung)
  const settled = firstYoung < 0 ? page.events : page.events.slice(0, firstYoung)
  const read = pull.eager ? page.events : settled
  const ours = read.filter((event) => (event.createdAtMs ?? Number.POSITIVE_INFINITY) >= pull.beginsAt.getTime())
  // All at once: they are committed together, and in this order.
  const isFresh = await Promise.all(ours.map((event) => takeInListed(deps, pull, event)))
  const fresh = ours.filter((_, at) => isFresh[at])
  const before = page.restarted ? null : pull.cursorEventId
  const readBefore = page.restarted ? null : pull.readEventId
  // An event may become visible after a younger one: what is young is read again by the next pull.
  const isSettledSoFar = readBefore === null || readBefore === before
  const lastRead = read.at(-1)?.eventId
  return {
    cursorEventId: (isSettledSoFar ? settled.at(-1)?.eventId : undefined) ?? before,
    readEventId: lastRead ?? readBefore,
    missed: pull.missed + fresh.filter((event) => !isYoung(event)).length,
    fresh: pull.fresh + fresh.length,
    // A record that does not go on after the event we named would be read for ever.
    more: lastRead !== undefined && read.length === page.events.length && !page.events.some(isStartOf(pull)),
    restarted: page.restarted,
  }
}

const isStartOf =
  ({ readEventId, cursorEventId }: store.EventPullRow) =>
  ({ eventId }: ListedEvent): boolean =>
    eventId === (readEventId ?? cursorEventId)

/** It came from the provider, under our key and over its TLS: as good as signed. @returns whether it is new to us */
async function takeInListed(deps: Deps, pull: store.EventPullRow, event: ListedEvent): Promise<boolean> {
  try {
    return (await ingestEvent(deps, { rawBody: event.rawBody, trust: 'verified' })) !== 'duplicate'
  } catch (error) {
    const isNone = error instanceof ApiError && error.status < 500
    // One that we fail to store for a reason of its own must not hold up all that come after it.
    if (!isNone && (isOutage(error) || pull.failures < storeTriesMax)) throw error
    deps.log.error({ err: error, providerEventId: event.eventId }, 'an event of the provider’s record is passed over')
    return false
  }
}

async function settlePage(deps: Deps, pull: store.EventPullRow, progress: Progress): Promise<boolean> {
  const resendFor = await deps.db.transaction(async (tx) => {
    if (!(await store.saveEventPull(tx, pull.run, progress))) return null // another replica goes on with it
    if (progress.restarted) await beginAnew(tx)
    if (progress.more) return null
    await endPull(deps, tx, pull, progress)
    return progress.missed > 0 && (await store.claimResend(tx, resendSecondsMin)) ? progress.cursorEventId : null
  })
  if (resendFor !== null) await resumeDelivery(deps, resendFor)
  return progress.more
}

async function settleHistoryPage(deps: Deps, pull: store.EventPullRow, progress: HistoryProgress): Promise<boolean> {
  const resendFor = await deps.db.transaction(async (tx) => {
    if (!(await store.saveHistoryPull(tx, pull.run, progress)) || progress.more) return null
    await endPull(deps, tx, pull, progress)
    const isDue = progress.missed > 0 && (await store.claimResend(tx, resendSecondsMin))
    return isDue ? await store.latestProviderEventId(tx) : null
  })
  if (resendFor !== null) await resumeDelivery(deps, resendFor)
  return progress.more
}

/** What was read before is not forgotten at the provider for nothing: its events may be gone, and its numbers begin anew. */
async function beginAnew(tx: Tx): Promise<void> {
  await store.saveSeenSequences(tx, [], null)
  await requestRereadWalk(tx, walkAgainInSeconds)
}

async function endPull(
  deps: Deps,
  tx: Tx,
  pull: store.EventPullRow,
  { missed, fresh }: Pick<Progress, 'missed' | 'fresh'>,
): Promise<void> {
  const hadGap = pull.gapAfter !== null
  await store.endEventPull(tx, pull.run, {
    // While events get lost, look again soon, and leave nothing to the webhook.
    eager: missed > 0,
    nextInSeconds: missed > 0 ? settleSeconds(deps) : periodSeconds(deps),
    failures: 0,
    gapsInVain: hadGap && fresh === 0 ? pull.gapsInVain + 1 : 0,
  })
  // What the provider's own record does not have was never meant for us.
  if (pull.coversSequence !== null) await noteSequences(deps, tx, [], pull.coversSequence)
  if (missed === 0) return
  deps.log.warn({ missed }, 'events had not reached us and were taken in from the provider’s record or history')
  await requestRereadWalk(tx, walkAgainInSeconds)
}

async function giveUpPull(deps: Deps, pull: store.EventPullRow, error: unknown): Promise<void> {
  const reason = error instanceof ProviderError ? { reason: error.message } : { err: error }
  deps.log.warn({ ...reason, failures: pull.failures + 1 }, 'the provider’s record of events can not be read now')
  const retryAfterSeconds = error instanceof ProviderError ? error.retryAfterSeconds : null
  const backoffSeconds = Math.min(retrySeconds * 2 ** Math.min(pull.failures, 16), periodSeconds(deps))
  await deps.db.transaction((tx) =>
    store.endEventPull(tx, pull.run, {
      eager: true,
      nextInSeconds: Math.max(backoffSeconds, retryAfterSeconds ?? 0),
      failures: pull.failures + 1,
      gapsInVain: pull.gapsInVain,
    }),
  )
}

/** Hands over which numbers this replica saw; one that was jumped over makes a pull due in some seconds. */
export async function saveSeenSequences(deps: Deps): Promise<void> {
  const noted = deps.seenSequences.take()
  if (noted.length > 0) await deps.db.transaction((tx) => noteSequences(deps, tx, noted, null))
}

async function noteSequences(deps: Deps, tx: Tx, noted: SequenceRanges, accountedTo: number | null): Promise<void> {
  const { seen: before, gapsInVain } = await store.lockSeenSequences(tx)
  const joined = joinRanges(before, noted)
  const seen = accountedTo === null ? joined : closeGapsUpTo(joined, accountedTo)
  const after = lowestGap(seen)
  // Numbers of events that are not for us look like gaps for ever: the more looks were in vain, the rarer they get.
  const delaySeconds = Math.min(gapSeconds * 2 ** Math.min(gapsInVain, 16), periodSeconds(deps))
  await store.saveSeenSequences(tx, seen, after === null ? null : { after, delaySeconds })
}

/** After a start, and after an outage of ours: nobody knows what was sent meanwhile. */
export async function requestPull(deps: Deps): Promise<void> {
  await deps.db.transaction(store.requestEventPull)
}
