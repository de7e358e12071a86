// Reads ahead in lanes: deliveries that were never tried, deliveries that are due again, and deliveries that were held back.

import { performance } from 'node:perf_hooks'
import type { Database } from '../../platform/postgres/db.ts'
import type { Lane } from './lane.ts'
import { type FreshRequest, readFresh, readHeldBack, readRetries } from './lane-reading.store.ts'

/** Rows of one reading, which takes some 10 ms. */
const rowsMax = 1_024
const heldBackRowsMax = 64

/**
 * Reads what the lanes want, and adds it to them.
 * @param isMine whether the lane is still held as it was when it was read: rows for a former hold are dropped
 */
export async function readLanesAhead(
  db: Database,
  lanes: readonly Lane[],
  isMine: (lane: Lane) => boolean,
): Promise<void> {
  const nowMs = performance.now()
  const fresh = firstPage(lanes.flatMap((lane) => lane.freshRequest() ?? []))
  const retries = lanes.flatMap((lane) => lane.retryRequest(nowMs) ?? [])
  const [freshRows, retryRows] = await Promise.all([
    fresh.length > 0 ? db.byIndex((query) => readFresh(query, fresh)) : [],
    retries.length > 0 ? db.byIndex((query) => readRetries(query, retries)) : [],
  ])
  const held = new Map(lanes.filter(isMine).map((lane) => [lane.endpointId, lane]))
  const freshOf = Map.groupBy(freshRows, (row) => row.endpointId)
  for (const request of fresh) held.get(request.endpointId)?.addFresh(request, freshOf.get(request.endpointId) ?? [])
  const retriesOf = Map.groupBy(retryRows, (row) => row.endpointId)
  for (const { endpointId } of retries) held.get(endpointId)?.addRetries(retriesOf.get(endpointId) ?? [])
  // Last: rows that `addFresh` has just dropped as held back are among those that are read here.
  for (const lane of held.values()) await readHeldBackOf(db, lane)
}

async function readHeldBackOf(db: Database, lane: Lane): Promise<void> {
  for (let request = lane.heldBackRequest(); request; request = lane.heldBackRequest()) {
    const wanted = { ...request, endpointId: lane.endpointId, through: lane.readThrough, limit: heldBackRowsMax }
    const rows = await db.byIndex((query) => readHeldBack(query, wanted))
    lane.addHeldBack(request, rows, rows.length < heldBackRowsMax)
  }
}

/** Takes the requests for most rows first, until the page is full. */
function firstPage(requests: readonly FreshRequest[]): FreshRequest[] {
  let room = rowsMax
  return requests
    .toSorted((a, b) => b.limit - a.limit)
    .filter(({ limit }) => {
      const fits = room > 0
      room -= limit
      return fits
    })
}
