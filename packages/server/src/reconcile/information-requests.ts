// The second source of information requests, because the provider's event log may lack their events: reads the requests
// that wait for a response, and then the other open ones. Each page is a separate turn, so that any replica can
// continue.

import {
  applyInformationRequest,
  closeMissingRequest,
  isRefused,
  listUnreadOpen,
} from '../information-requests/service.ts'
import { LeaseLostError, underLease } from '../platform/postgres/leases.ts'
import { isOutage } from '../provider/operations/operations.ts'
import { type InformationRequests, ProviderError } from '../provider/port.ts'
import * as store from './information-requests.store.ts'
import type { Reconciles } from './ports.ts'

/** The provider's largest page. */
const pageMax = 100
/** 10,000 open requests are beyond what a person can respond to. */
const pagesMax = 100
const readsAtOnce = 10
const retrySeconds = 5
/** The provider may fail for one request permanently: then the pull continues after that request. */
const failuresMax = 10

/** A turn makes at most ten concurrent calls: after the lease, the holder has crashed. */
const leaseMs = (deps: Reconciles): number => 2 * deps.config.providerTimeoutMs + 20_000

/**
 * Reads one page of requests, if a pull is due or running. Runs across businesses.
 * @returns whether there is more to do now
 */
export async function pullInformationRequests(deps: Reconciles, requests: InformationRequests): Promise<boolean> {
  const pull = await deps.db.transaction((tx) => store.claimInformationRequestPull(tx, leaseMs(deps)))
  if (!pull) return false
  try {
    const leased = underLease(deps, store.leaseOfInformationRequestPull(pull))
    const next =
      pull.stage === 'listed' ? await readListed(leased, requests, pull) : await readHeld(leased, requests, pull)
    await deps.db.transaction((tx) =>
      next === null ? end(deps, tx, pull, false) : store.saveInformationRequestPull(tx, pull.fence, next),
    )
    return next !== null
  } catch (error) {
    if (error instanceof LeaseLostError) return false // another replica continues the pull
    if (isRefused(error)) await noteRefusal(deps, pull, error)
    else if (error instanceof ProviderError || isOutage(error)) await postpone(deps, pull, error)
    else throw error
    return false
  }
}

type Pull = store.InformationRequestPullRow
type Next = Pick<Pull, 'stage' | 'afterId' | 'pages'>
const heldStage: Next = { stage: 'held', afterId: null, pages: 0 }

async function readListed(deps: Reconciles, requests: InformationRequests, { afterId, pages }: Pull): Promise<Next> {
  const page = await listAfter(requests, afterId)
  for (const told of page) await deps.db.transaction((tx) => applyInformationRequest(deps, tx, told))
  const last = page.at(-1)
  // A list that does not continue after the given request would be read forever.
  const isRepeated = page.some(({ id }) => id === afterId)
  if (!last || page.length < pageMax || pages + 1 >= pagesMax || isRepeated) return heldStage
  return { stage: 'listed', afterId: last.id, pages: pages + 1 }
}

/** A request that has left the list since the last page cannot be a cursor: the next pull reads the rest. */
async function listAfter(requests: InformationRequests, afterId: string | null) {
  try {
    const after = afterId === null ? {} : { startingAfter: afterId }
    return await requests.listOpen({ limit: pageMax, ...after })
  } catch (error) {
    if (afterId !== null && isRefused(error)) return []
    throw error
  }
}

async function readHeld(deps: Reconciles, requests: InformationRequests, pull: Pull): Promise<Next | null> {
  const ids = await deps.db.read((query) => listUnreadOpen(query, pull.afterId, pull.beganAt, readsAtOnce))
  const outcomes = await Promise.allSettled(ids.map((id) => readAgain(deps, requests, id)))
  const failures = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? { error: outcome.reason as unknown } : null,
  )
  // The list was not refused: an error for a single request says nothing about the others.
  if (failures.length > 1 && failures.every((failure) => failure && isForbidden(failure.error)))
    throw failures[0]?.error
  for (const [at, failure] of failures.entries()) {
    if (failure === null) continue
    if (!isRefused(failure.error) && pull.failures < failuresMax) throw failure.error
    deps.log.warn({ err: failure.error, request: ids[at] }, 'information request not read again, skipped')
  }
  const last = ids.at(-1)
  if (last === undefined || ids.length < readsAtOnce) return null
  return { stage: 'held', afterId: last, pages: pull.pages + 1 }
}

function isForbidden(error: unknown): boolean {
  return error instanceof ProviderError && (error.status === 401 || error.status === 403)
}

/** A 404 counts with the provider's own error code only: a proxy may respond with 404 as well. */
async function readAgain(deps: Reconciles, requests: InformationRequests, id: string): Promise<void> {
  const told = await requests.read(id).catch((error: unknown) => {
    if (error instanceof ProviderError && error.kind === 'not_found' && error.code !== null) return null
    throw error
  })
  await deps.db.transaction((tx) =>
    told === null ? closeMissingRequest(deps, tx, id) : applyInformationRequest(deps, tx, told),
  )
}

async function end(
  deps: Reconciles,
  tx: Parameters<typeof store.endInformationRequestPull>[0],
  { fence }: Pull,
  isRefused: boolean,
) {
  await store.endInformationRequestPull(tx, fence, { isRefused, nextInSeconds: deps.config.reconcilePeriodSeconds })
}

/** Without the feature at the provider, or the scope of the key, there is nothing to read, and no error. */
async function noteRefusal(deps: Reconciles, pull: Pull, error: unknown): Promise<void> {
  if (pull.refusedSince === null)
    deps.log.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      `provider refuses to ${pull.stage === 'listed' ? 'list' : 'show'} information requests: the account lacks the feature, or the API key lacks the scope`,
    )
  await deps.db.transaction((tx) => end(deps, tx, pull, true))
}

async function postpone(deps: Reconciles, { fence, failures }: Pull, error: unknown): Promise<void> {
  const delaySeconds = Math.min(retrySeconds * 2 ** Math.min(failures, 16), deps.config.reconcilePeriodSeconds)
  const reason = error instanceof ProviderError ? { reason: error.message } : { err: error }
  deps.log.warn({ ...reason, delaySeconds }, 'information requests not read, retrying')
  await deps.db.transaction((tx) => store.postponeInformationRequestPull(tx, fence, delaySeconds))
}
