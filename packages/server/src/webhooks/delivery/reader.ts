// Reads ahead in lanes: what was never tried, what is due again, and what was held up behind a failed delivery.

import { performance } from 'node:perf_hooks'
import type { Database } from '../../platform/postgres/db.ts'
import type { Lane } from './lane.ts'
import { type Reading, readFresh, readHeldUp, readRetries } from './lane-reading.store.ts'

/** Bodies of one reading; what does not fit is read when its turn comes. */
const bytesMax = 8 * 1024 * 1024
/** Rows of one reading: it is over in some 10 ms, and whoever does not fit is next. */
const rowsMax = 1_024
const heldUpRowsMax = 64

export type Reader = { read(lanes: readonly Lane[]): Promise<void> }

/** @param isHeld whether the lane is still the one that was asked about: what was read for a former hold is dropped */
export function createReader(db: Database, isHeld: (lane: Lane) => boolean): Reader {
  const readHeldUpIn = async (lane: Lane): Promise<void> => {
    for (let freed = lane.wantsHeldUp(); freed; freed = lane.wantsHeldUp()) {
      const asked = { ...freed, endpointId: lane.endpointId, through: lane.readThrough, limit: heldUpRowsMax }
      const rows = await db.byIndex((query) => readHeldUp(query, asked, bytesMax))
      lane.takeInHeldUp(freed, rows, rows.length < heldUpRowsMax)
    }
  }

  return {
    async read(lanes) {
      const nowMs = performance.now()
      const fresh = pageOf(lanes.flatMap((lane) => lane.wantsFresh() ?? []))
      const retries = lanes.flatMap((lane) => lane.wantsRetries(nowMs) ?? [])
      const [freshRows, retryRows] = await Promise.all([
        fresh.length > 0 ? db.byIndex((query) => readFresh(query, fresh, bytesMax)) : [],
        retries.length > 0 ? db.byIndex((query) => readRetries(query, retries, bytesMax)) : [],
      ])
      const held = new Map(lanes.filter(isHeld).map((lane) => [lane.endpointId, lane]))
      const freshOf = Map.groupBy(freshRows, (row) => row.endpointId)
      for (const asked of fresh) held.get(asked.endpointId)?.takeInFresh(asked, freshOf.get(asked.endpointId) ?? [])
      const retriesOf = Map.groupBy(retryRows, (row) => row.endpointId)
      for (const { endpointId } of retries) held.get(endpointId)?.takeInRetries(retriesOf.get(endpointId) ?? [])
      // Only now: what takeInFresh has just dropped as held up is among what is read here.
      for (const lane of held.values()) await readHeldUpIn(lane)
    },
  }
}

/** The hungriest first. */
function pageOf(readings: readonly Reading[]): Reading[] {
  let room = rowsMax
  return readings
    .toSorted((a, b) => b.limit - a.limit)
    .filter(({ limit }) => {
      const fits = room > 0
      room -= limit
      return fits
    })
}
