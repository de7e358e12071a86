// Chooses which events of its range a replay resends, by their delivery status at the endpoint.

import type { DeliveryStatus } from '../../events/deliveries.rules.ts'

/** Failed deliveries of one endpoint that are counted: takes about 50 ms. */
export const countedMax = 10_000

export const replayStates = ['running', 'done', 'cancelled', 'failed'] as const
export type ReplayState = (typeof replayStates)[number]

/**
 * `missing`: the event never had a delivery to this endpoint. `not_addressed`: the event was a test of another
 * endpoint.
 */
export type DeliveryState = DeliveryStatus | 'missing' | 'not_addressed'

/**
 * The delivery statuses that each request covers. A pending delivery keeps its place: its first attempt is still to
 * come.
 */
const chosen = {
  undelivered: ['retrying', 'exhausted', 'cancelled', 'missing'],
  failed: ['retrying', 'exhausted', 'cancelled'],
  missing: ['missing'],
  delivered: ['delivered'],
  all: ['retrying', 'exhausted', 'cancelled', 'missing', 'delivered'],
} as const satisfies Record<string, readonly DeliveryState[]>

export type ReplayStatus = keyof typeof chosen
export const replayStatuses = Object.keys(chosen) as readonly ReplayStatus[]

export const statesOf = (status: ReplayStatus): readonly DeliveryState[] => chosen[status]

export const isChosen = (status: ReplayStatus, delivery: DeliveryState): boolean => statesOf(status).includes(delivery)

/**
 * Chooses candidates in order while there is room.
 * @param room how many may be queued
 * @param through where the read ended
 * @returns `position`: the place up to which all candidates were handled
 */
export function fill<T extends { position: number; delivery: DeliveryState }>(
  candidates: readonly T[],
  status: ReplayStatus,
  room: number,
  through: number,
): { chosen: T[]; matched: number; position: number } {
  const taken: T[] = []
  let matched = 0
  for (const candidate of candidates) {
    const isTaken = isChosen(status, candidate.delivery)
    if (isTaken && taken.length === room) return { chosen: taken, matched, position: candidate.position - 1 }
    if (isTaken) taken.push(candidate)
    matched += 1
  }
  return { chosen: taken, matched, position: through }
}
