// Reads missed events from the provider's event log, from a stored cursor to the end. Each page is a separate
// transaction, so another replica can continue after a crash. If the provider has no event log, the pull reads the
// history of all accounts instead, if there is one.

import { applyActivity } from '../deposits/service.ts'
import { isDepositActivity } from '../deposits/state.rules.ts'
import { providerOf } from '../platform/config.ts'
import { ApiError } from '../platform/errors.ts'
import { LeaseLostError, underLease } from '../platform/postgres/leases.ts'
import { readNowMs } from '../platform/postgres/query.ts'
import { isOutage } from '../provider/operations/operations.ts'
import {
  type EventRecord,
  type ListedEvent,
  type ListedEvents,
  type ProviderActivity,
  ProviderError,
} from '../provider/port.ts'
import { lockAccountOfProvider } from '../virtual-accounts/service.ts'
import type { Reconciles } from './ports.ts'
import { walkAgainInSeconds } from './reread.ts'
import * as store from './store.ts'

// The provider's largest page is 500, but a page must stay below the 4 MiB that are read of a response, and events
// contain whole customers: 200 may have 20 KB each.
const pageEventsMax = 200
const retrySeconds = 5
const storeTriesMax = 5

/** How long an event is left to its webhook: one minute, or less if the period is short. */
const settleSeconds = (deps: Reconciles): number => Math.min(60, periodSeconds(deps) / 5)
const periodSeconds = (deps: Reconciles): number => deps.config.reconcilePeriodSeconds

/** A turn makes one call to the provider; after that time, the holder has crashed. */
const leaseMs = (deps: Reconciles): number => deps.config.providerTimeoutMs + 2_000

/**
 * Ingests one page of the provider's event log, if a pull is due or running. Runs across businesses.
 * @returns whether there is more to do now
 * @throws ApiError `database_unavailable`
 */
export async function pullEvents(deps: Reconciles): Promise<boolean> {
  const pull = await deps.db.transaction((tx) => store.claimEventPull(tx, leaseMs(deps)))
  if (!pull) return false
  try {
    const page = pull.historyReadId === null ? await nextPage(deps, pull) : 'absent'
    const leased = underLease(deps, store.leaseOfPull(pull))
    const progress = page === 'absent' ? await applyHistoryPage(leased, pull) : await ingestPage(leased, pull, page)
    return await settlePage(deps, progress)
  } catch (error) {
    if (error instanceof LeaseLostError) return false
    if (!(error instanceof ProviderError) && isOutage(error)) throw error
    await giveUpPull(deps, pull, error)
    return false
  }
}

type Page = ListedEvents & { restarted: boolean }

/**
 * Continues from the last event read, or from the oldest if the provider has deleted that event, after 90 days.
 * @returns `absent` if the provider has no event log
 */
async function nextPage(deps: Reconciles, pull: store.EventPullRow): Promise<Page | 'absent'> {
  const { record } = deps.provider
  if (record === null) return 'absent'
  // A response that is too large looks like an outage: after each failure, request a smaller page.
  const limit = Math.max(1, pageEventsMax >> Math.min(pull.failures, 8))
  const startingAfter = pull.readEventId ?? pull.cursorEventId
  if (startingAfter === null) return await oldestPage(record, limit, false)
  try {
    return { ...(await record.list({ limit, startingAfter })), restarted: false }
  } catch (error) {
    // The provider cannot have deleted an event that it returned in this pull.
    if (!isForgotten(error) || pull.readEventId !== null) throw error
    const page = await oldestPage(record, limit, true)
    if (page !== 'absent')
      deps.log.warn({ eventId: startingAfter }, 'last event read not found at the provider, reading from the oldest')
    return page
  }
}

async function oldestPage(record: EventRecord, limit: number, restarted: boolean): Promise<Page | 'absent'> {
  try {
    return { ...(await record.list({ limit })), restarted }
  } catch (error) {
    if (error instanceof ProviderError && error.status === 404) return 'absent'
    throw error
  }
}

// 403: the key may not read the event log.
function isForgotten(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false
  return error.status === 404 || (error.kind === 'rejected' && error.status !== 403)
}

/** The pull after a page. */
type Progress = store.EventPullRow & { more: boolean; restarted: boolean }

async function ingestPage(deps: Reconciles, pull: store.EventPullRow, page: Page): Promise<Progress> {
  const settledBefore = (page.answeredAtMs ?? (await deps.db.read(readNowMs))) - settleSeconds(deps) * 1_000
  const isYoung = (event: ListedEvent) => (event.createdAtMs ?? 0) > settledBefore
  const firstYoung = page.events.findIndex(isYoung)
  const settled = firstYoung < 0 ? page.events : page.events.slice(0, firstYoung)
  const read = pull.eager ? page.events : settled
  const ours = read.filter((event) => (event.createdAtMs ?? Number.POSITIVE_INFINITY) >= pull.beginsAt.getTime())
  // All at once: the group commit stores them together and in this order.
  const isFresh = await Promise.all(ours.map((event) => ingestListed(deps, pull, event)))
  const fresh = ours.filter((_, at) => isFresh[at])
  const before = page.restarted ? null : pull.cursorEventId
  const readBefore = page.restarted ? null : pull.readEventId
  // An event may become visible after a newer one: the next pull reads recent events again.
  const isSettledSoFar = readBefore === null || readBefore === before
  const lastRead = read.at(-1)?.eventId
  const startedAfter = pull.readEventId ?? pull.cursorEventId
  return {
    ...pull,
    cursorEventId: (isSettledSoFar ? settled.at(-1)?.eventId : undefined) ?? before,
    readEventId: lastRead ?? readBefore,
    missed: pull.missed + fresh.filter((event) => !isYoung(event)).length,
    // A log that does not continue after the given event would be read forever.
    more:
      lastRead !== undefined &&
      read.length === page.events.length &&
      !page.events.some(({ eventId }) => eventId === startedAfter),
    restarted: page.restarted,
  }
}

/** Ingests an event that was read with the provider key over TLS: it counts as signed. @returns whether it is new */
async function ingestListed(deps: Reconciles, pull: store.EventPullRow, event: ListedEvent): Promise<boolean> {
  try {
    return await deps.ingestListed(event.rawBody)
  } catch (error) {
    const isNoEvent = error instanceof ApiError && error.status < 500
    // An event that cannot be stored must not block later ones.
    if (!isNoEvent && (isOutage(error) || pull.failures < storeTriesMax)) throw error
    deps.log.error({ err: error, providerEventId: event.eventId }, 'event of the provider log skipped')
    return false
  }
}

// An activity may be recorded some time after it happened. The daily walk finds activities that are recorded even
// later.
export const pullOverlapMs = 600_000

/**
 * Applies the next page of the history of all accounts, with activities that may have sent no event: newest first, back
 * to what an earlier pull has read.
 */
async function applyHistoryPage(deps: Reconciles, pull: store.EventPullRow): Promise<Progress> {
  const { historyReadId: readId } = pull
  const { ofAll, pageMax } = deps.provider.deposits
  if (ofAll === null) return { ...pull, more: false, restarted: false }
  const page = await ofAll({ limit: pageMax, ...(readId === null ? {} : { startingAfter: readId }) })
  const nowMs = await deps.db.read(readNowMs)
  const isYoung = ({ activity: { occurredAtMs, reportedAtMs } }: ProviderActivity) => {
    // Without a Date header an activity counts as reported when it occurred.
    const readAtMs = reportedAtMs > occurredAtMs ? reportedAtMs : nowMs
    return occurredAtMs > readAtMs - settleSeconds(deps) * 1_000
  }
  const read = pull.eager ? page : page.filter((reported) => !isYoung(reported))
  const added = await applyPage(deps, read)
  const newestMs = Math.max(pull.historyNewestAt?.getTime() ?? 0, ...read.map(({ activity }) => activity.occurredAtMs))
  const backToMs = Math.max(pull.beginsAt.getTime(), (pull.historyCoveredTo?.getTime() ?? 0) - pullOverlapMs)
  const oldest = page.at(-1)?.activity
  return {
    ...pull,
    historyNewestAt: newestMs > 0 ? new Date(newestMs) : null,
    historyReadId: oldest?.id ?? readId,
    missed: pull.missed + added.filter((reported) => !isYoung(reported)).length,
    // A history that does not continue after the given activity would be read forever.
    more:
      oldest !== undefined &&
      page.length === pageMax &&
      oldest.occurredAtMs >= backToMs &&
      !page.some(({ activity }) => activity.id === readId),
    restarted: false,
  }
}

/** One transaction for each account, oldest activity first. @returns the activities that were new */
async function applyPage(deps: Reconciles, page: readonly ProviderActivity[]): Promise<ProviderActivity[]> {
  const activities = page.filter(({ activity }) => isDepositActivity(activity.type)).toReversed()
  const added: ProviderActivity[] = []
  for (const [providerId, ofAccount] of Map.groupBy(activities, ({ virtualAccountId }) => virtualAccountId)) {
    if (providerId === null) continue
    await deps.db.transaction(async (tx) => {
      const account = await lockAccountOfProvider(tx, providerOf(deps.config), [providerId])
      // The provider key may also have accounts that were not opened by Causeway.
      if (!account) return
      for (const reported of ofAccount)
        if ((await applyActivity(deps, tx, account, reported)) === 'added') added.push(reported)
    })
  }
  return added
}

/** @returns whether there is more to do now */
async function settlePage(deps: Reconciles, progress: Progress): Promise<boolean> {
  const resendFor = await deps.db.transaction(async (tx) => {
    if (!(await store.saveEventPull(tx, progress))) return null // another replica continues it
    // The provider has deleted the last event read: it may have deleted later events as well.
    if (progress.restarted) await store.requestRereadWalk(tx, walkAgainInSeconds)
    if (progress.more) return null
    const { missed, fence } = progress
    // While events are missing, the next pull comes soon and leaves nothing to the webhook.
    const nextInSeconds = missed > 0 ? settleSeconds(deps) : periodSeconds(deps)
    await store.endEventPull(tx, fence, { eager: missed > 0, nextInSeconds, failures: 0 })
    if (missed === 0) return null
    deps.log.warn({ missed }, 'missed events read from the provider log')
    await store.requestRereadWalk(tx, walkAgainInSeconds)
    return progress.historyReadId === null ? progress.cursorEventId : await store.latestProviderEventId(tx)
  })
  // Pulls that find missed events are at least `settleSeconds` apart, and so are these requests to the provider.
  if (resendFor !== null) await deps.resumeDelivery(resendFor)
  return progress.more
}

async function giveUpPull(deps: Reconciles, pull: store.EventPullRow, error: unknown): Promise<void> {
  const isTold = error instanceof ProviderError
  const failures = pull.failures + 1
  const backoffSeconds = Math.min(retrySeconds * 2 ** Math.min(pull.failures, 16), periodSeconds(deps))
  const nextInSeconds = Math.max(backoffSeconds, isTold ? (error.retryAfterSeconds ?? 0) : 0)
  const reason = isTold ? { reason: error.message } : { err: error }
  deps.log.warn({ ...reason, failures, nextInSeconds }, 'provider event log not read, retrying')
  await deps.db.transaction((tx) => store.endEventPull(tx, pull.fence, { eager: true, nextInSeconds, failures }))
}
