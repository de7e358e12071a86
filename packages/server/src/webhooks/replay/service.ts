// Resends one delivery, one event or, as a replay, a range of events to one endpoint. The replay loop advances a replay in
// steps; each step is one transaction, so a crash neither loses nor repeats a step.
// Above the usual length: resends and replays share their steps.

import { endUserOf } from '../../end-users/service.ts'
import { type EventSource, eventSources } from '../../events/catalogue.rules.ts'
import { emitToStream } from '../../events/emit.ts'
import { deliveriesOf, deliveryOf, eventOf, sourceOf } from '../../events/service.ts'
import type { Core } from '../../platform/core.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { Business } from '../../platform/http/caller.ts'
import { answeringTransaction } from '../../platform/http/idempotency/service.ts'
import type { RequestScope } from '../../platform/http/scope.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import type { Page, PageRequest } from '../../platform/postgres/paging.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { readNowMs } from '../../platform/postgres/query.ts'
import { deliveryIdOf, makeId } from '../../platform/values/ids.ts'
import { isoTime, isWritable } from '../../platform/values/time.ts'
import { findEndpoint } from '../endpoints/store.ts'
import * as candidates from './candidates.store.ts'
import { fill, type ReplayStatus, statesOf } from './replay.rules.ts'
import * as store from './store.ts'

type EventRow = Awaited<ReturnType<typeof eventOf>>

/**
 * Resends a delivery now, whatever its status: same ID, sequence and `webhook-id`, on a new schedule. A delivery that
 * was never attempted keeps its place; for a paused or disabled endpoint it stays queued.
 * @throws ApiError `delivery_not_found`, `webhook_endpoint_deleted`
 */
export async function retryDelivery(deps: Core, { business, held }: RequestScope, id: string) {
  return await answeringTransaction(deps, held, async (tx) => {
    const { webhookEndpointId, eventId } = await deliveryOf(tx, business, id)
    await tellOfResend(deps, tx, await eventOf(tx, business, eventId), webhookEndpointId)
    if (!(await store.lockLane(tx, business.id, webhookEndpointId))) throw fail('webhook_endpoint_deleted')
    if (!(await sendAgain(tx, business, id))) throw fail('delivery_not_found')
    await store.wakeLane(tx, webhookEndpointId)
    return await deliveryOf(tx, business, id)
  })
}

/**
 * Resends an event: to every endpoint that currently subscribes to its type, or to the given endpoint regardless of its
 * event types. An endpoint that never had the event gets it with its next sequence number.
 * @returns the deliveries; none if no endpoint subscribes to the type
 * @throws ApiError `event_not_found`, `webhook_endpoint_not_found`
 */
export async function replayEvent(
  deps: Core,
  { business, held }: RequestScope,
  eventId: string,
  endpointId: string | null,
) {
  return await answeringTransaction(deps, held, async (tx) => {
    const event = await eventOf(tx, business, eventId)
    await tellOfResend(deps, tx, event, endpointId)
    const targets = endpointId === null ? await targetsOf(tx, business, event) : [endpointId]
    for (const target of targets) {
      if (!(await store.lockLane(tx, business.id, target))) {
        if (endpointId !== null) throw fail('webhook_endpoint_not_found')
        continue
      }
      const isKnown = await sendAgain(tx, business, deliveryIdOf(eventId, target))
      if (!isKnown) await store.insertDeliveries(tx, target, [eventId])
      await store.wakeLane(tx, target)
    }
    const ids = new Set(targets.map((target) => deliveryIdOf(eventId, target)))
    const deliveries = await deliveriesOf(tx, business, eventId)
    return deliveries.filter(({ id }) => ids.has(id))
  })
}

/** Notifies readers of the stream that an event is resent. Must run before any lock on a lane. */
async function tellOfResend(deps: Core, tx: Tx, event: EventRow, endpointId: string | null): Promise<void> {
  const { businessId, endUserId, virtualAccountId, externalUserId } = event
  if (event.trust === 'stream' || businessId === null) return
  const data = { eventId: event.id, eventType: event.type, webhookEndpointId: endpointId }
  await emitToStream(deps, tx, 'event.resent', { businessId, endUserId, virtualAccountId, externalUserId }, data)
}

/**
 * The endpoints that currently subscribe to an event, in the order in which lanes are locked; for a test, the endpoints
 * that had it.
 */
async function targetsOf(tx: Tx, business: Business, event: EventRow): Promise<string[]> {
  if (event.trust !== 'test' && event.trust !== 'stream')
    return await store.endpointsWanting(tx, business.id, event.type, sourceOf(event))
  const deliveries = await deliveriesOf(tx, business, event.id)
  return deliveries.map(({ webhookEndpointId }) => webhookEndpointId).toSorted()
}

/**
 * Resends a delivery, under the lane's lock. If its outcome is being written, this waits and finds it in the history.
 * @returns false if there is no such delivery
 */
async function sendAgain(tx: Tx, business: Business, id: string): Promise<boolean> {
  if (await store.expedite(tx, business.id, id)) return true
  return (await store.requeueFinished(tx, business.id, [id])).length > 0
}

/** Maximum of queued deliveries of one replay: a fast receiver takes that many in a second. */
export const waitingMax = 500
/** Places of the stream and events of one step: about 15 ms each. */
const positionsMax = 2_000
const candidatesMax = 500
/**
 * Deliveries queued per step. A step locks the endpoint's lane for about 5 ms, which delays the ingest of new events.
 */
const queuedMax = 100
const failuresMax = 5
const dayMs = 24 * 60 * 60 * 1_000
export const rangeDaysMax = 31

export type ReplayRequest = {
  from: string
  to: string
  eventTypes: readonly string[] | null
  sources: readonly EventSource[] | null
  status: ReplayStatus
}

/**
 * Starts a replay of the events that are stored so far.
 * @throws ApiError `invalid_value`, `webhook_endpoint_not_found`, `replay_in_progress`
 */
export async function startReplay(
  deps: Core,
  { business, held }: RequestScope,
  endpointId: string,
  request: ReplayRequest,
) {
  const range = rangeOf(request)
  const { eventTypes, sources, status: wanted } = request
  return await answeringTransaction(deps, held, (tx) =>
    beginReplay(deps, tx, {
      businessId: business.id,
      endpointId,
      ...range,
      eventTypes,
      sources,
      wanted,
      endUserId: null,
    }),
  )
}

async function beginReplay(deps: Core, tx: Tx, replay: Omit<store.NewReplay, 'id'>) {
  const { businessId, endpointId } = replay
  if (!(await store.lockLane(tx, businessId, endpointId))) throw fail('webhook_endpoint_not_found')
  const made = await store.insertReplay(tx, { ...replay, id: makeId('replay', deps.randomBytes(16)) })
  if (!made) throw fail('replay_in_progress', { facts: { webhookEndpointId: endpointId } })
  return replayView(made)
}

/** The clocks of the database and this process may differ: events stored a moment ago are in the range. */
const clocksApartMs = 60_000

export type RetryFilter = {
  webhookEndpointId?: string
  eventType?: string
  externalUserId?: string
  from?: string
  to?: string
}

/**
 * Resends the deliveries of a filter that were attempted and not delivered: one replay for each endpoint that has any,
 * so that a receiver that is down does not block others. All replays start, or none.
 * @param options `dryRun` counts, and starts no replay
 * @returns the replays, and how many deliveries they will resend
 * @throws ApiError `invalid_value`, `webhook_endpoint_not_found`, `holder_not_found`, `replay_in_progress`
 */
export async function retryDeliveries(
  deps: Core,
  { business, held }: RequestScope,
  filter: RetryFilter,
  { dryRun }: { dryRun: boolean },
) {
  const { webhookEndpointId: endpointId = null, eventType = '*', externalUserId } = filter
  const { to = isoTime((await deps.db.read(readNowMs)) + clocksApartMs) } = filter
  const { from = isoTime(timeOf('filter.to', to).getTime() - rangeDaysMax * dayMs) } = filter
  const range = rangeOf({ from, to }, 'filter.')
  return await answeringTransaction(deps, held, async (tx) => {
    if (endpointId !== null && !(await findEndpoint(tx, business.id, endpointId)))
      throw fail('webhook_endpoint_not_found')
    const endUserId = externalUserId === undefined ? null : (await endUserOf(tx, business, externalUserId)).id
    const replays = []
    let deliveryCount = 0
    for (const each of await candidates.endpointsWithFailed(tx, business.id, endpointId)) {
      const meant = { ...range, endUserId, eventTypes: [eventType], sources: eventSources }
      const replay = { businessId: business.id, endpointId: each, ...meant, wanted: 'failed' } as const
      if (!dryRun) replays.push(await beginReplay(deps, tx, replay))
      deliveryCount += await candidates.countFailed(tx, replay)
    }
    return { deliveryCount, replays }
  })
}

/** @param within prefix of the field names */
function rangeOf({ from, to }: Pick<ReplayRequest, 'from' | 'to'>, within = ''): { rangeFrom: Date; rangeTo: Date } {
  const rangeFrom = timeOf(`${within}from`, from)
  const rangeTo = timeOf(`${within}to`, to)
  const lengthMs = rangeTo.getTime() - rangeFrom.getTime()
  const fault = (rule: string) => fieldFault(`${within}to`, `${within}to must be ${rule} ${within}from.`)
  if (lengthMs <= 0) throw fault('later than')
  if (lengthMs > rangeDaysMax * dayMs) throw fault(`at most ${rangeDaysMax} days after`)
  return { rangeFrom, rangeTo }
}

function timeOf(param: string, text: string): Date {
  const time = new Date(text)
  if (isWritable(time) && time.getTime() >= 0) return time
  throw fieldFault(param, `${param} must be a time from the year 1970 to 9999, without a leap second.`)
}

function fieldFault(param: string, message: string): ApiError {
  return fail('invalid_value', { message, details: [{ param, code: 'invalid_value', message }] })
}

/** @throws ApiError `replay_not_found` */
export async function getReplay(deps: Core, business: Business, id: string) {
  const row = await deps.db.read((query) => store.findReplay(query, business.id, id))
  if (!row) throw fail('replay_not_found')
  return replayView(row)
}

/** @throws ApiError `webhook_endpoint_not_found` */
export async function listReplays(
  deps: Core,
  business: Business,
  endpointId: string,
  page: PageRequest,
): Promise<Page<store.ReplayRow>> {
  return await deps.db.read(async (query) => {
    if (!(await findEndpoint(query, business.id, endpointId))) throw fail('webhook_endpoint_not_found')
    return await store.listReplays(query, business.id, endpointId, page)
  })
}

/**
 * Cancels a replay: no more deliveries are queued. A replay that has ended does not change. @throws ApiError
 * `replay_not_found`
 */
export async function cancelReplay(deps: Core, { business, held }: RequestScope, id: string) {
  return await answeringTransaction(deps, held, async (tx) => {
    await store.endReplay(tx, { businessId: business.id, id }, 'cancelled')
    const row = await store.findReplay(tx, business.id, id)
    if (!row) throw fail('replay_not_found')
    return replayView(row)
  })
}

/** Starts the loop that advances replays, one bounded step at a time. */
export function startReplayLoop(deps: Core): Loop {
  const nextDueMs = () => deps.db.read(store.nextReplayDueMs)
  return startLoop({ name: 'replay', log: deps.log, turn: () => advanceDueReplay(deps), nextDueMs })
}

/**
 * Advances the replay that is due first by one step. Runs across businesses, for the replay loop. @returns whether one
 * was due
 */
async function advanceDueReplay(deps: Core): Promise<boolean> {
  let held: store.DueReplay | undefined
  try {
    return await deps.db.transaction(async (tx) => {
      held = await store.lockDueReplay(tx)
      if (held) await advance(tx, held)
      return held !== undefined
    })
  } catch (err) {
    // An unavailable database is not a failure of the replay.
    if (!held || err instanceof ApiError) throw err
    const replay = held
    deps.log.error({ err, replay: replay.id }, 'replay step failed, retrying')
    const reason =
      'An internal error stopped the replay. The events in queuedCount are sent. Start another replay for the rest.'
    await deps.db.transaction((tx) => store.noteReplayFailure(tx, replay, failuresMax, reason))
    return true
  }
}

async function advance(tx: Tx, replay: store.DueReplay): Promise<void> {
  const room = waitingMax - (await store.countWaiting(tx, replay.id))
  if (room < queuedMax) return await store.postponeReplay(tx, replay)
  const end = Math.min(replay.position + positionsMax, replay.lastPosition)
  const read =
    replay.wanted === 'failed'
      ? await candidates.readFailed(tx, replay, candidatesMax)
      : await candidates.readCandidates(tx, replay, { through: end, limit: candidatesMax })
  const { chosen, matched, position } = fill(read.candidates, replay.wanted, queuedMax, read.through)
  if (!(await store.lockLane(tx, replay.businessId, replay.endpointId)))
    return await store.endReplay(tx, replay, 'failed', 'The endpoint was deleted.')
  const queued = await queue(tx, replay, chosen)
  await store.advanceReplay(tx, replay, { position, matched, queued })
}

/** Queues deliveries, except those that were resent in the meantime. @returns how many were queued */
async function queue(tx: Tx, replay: store.DueReplay, chosen: readonly candidates.ReplayCandidate[]): Promise<number> {
  if (chosen.length === 0) return 0
  const { businessId } = replay
  const missing = chosen.filter(({ delivery }) => delivery === 'missing').map(({ eventId }) => eventId)
  const retrying = chosen.filter(({ delivery }) => delivery === 'retrying').map(({ deliveryId }) => deliveryId)
  const stillRetrying = new Set(await store.renewRetrying(tx, businessId, retrying))
  const over = chosen.filter(({ delivery, deliveryId }) => delivery !== 'missing' && !stillRetrying.has(deliveryId))
  const overIds = over.map(({ deliveryId }) => deliveryId)
  const ours = new Set([
    ...stillRetrying,
    ...(await store.requeueFinished(tx, businessId, overIds, statesOf(replay.wanted))),
    ...(await store.insertDeliveries(tx, replay.endpointId, missing)),
  ])
  const inOrder = chosen.flatMap(({ deliveryId }) => (ours.has(deliveryId) ? [deliveryId] : []))
  await store.queueInOrder(tx, inOrder, replay)
  await store.wakeLane(tx, replay.endpointId)
  return inOrder.length
}

export function replayView(row: store.ReplayRow) {
  const length = row.lastPosition - row.firstPosition
  return {
    id: row.id,
    webhookEndpointId: row.endpointId,
    from: isoTime(row.rangeFrom),
    to: isoTime(row.rangeTo),
    eventTypes: row.eventTypes,
    sources: row.sources,
    externalUserId: row.externalUserId,
    status: row.wanted,
    state: row.state,
    percent: length === 0 ? 100 : Math.floor((100 * (row.position - row.firstPosition)) / length),
    matchedCount: row.matched,
    queuedCount: row.queued,
    skippedCount: row.skipped,
    error: row.error,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    endedAt: row.endedAt ? isoTime(row.endedAt) : null,
  }
}
