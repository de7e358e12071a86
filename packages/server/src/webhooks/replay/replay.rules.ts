// Which events of its range a replay sends again, by the state of their deliveries to the endpoint.

export const replayStates = ['running', 'done', 'cancelled', 'failed'] as const
export type ReplayState = (typeof replayStates)[number]

/** `missing`: the event never had a delivery to this endpoint. `not_addressed`: it was a test of another endpoint. */
export type DeliveryState = 'pending' | 'delivered' | 'exhausted' | 'cancelled' | 'missing' | 'not_addressed'

/** The states that each request means. A pending delivery is never queued twice. */
const chosen = {
  undelivered: ['exhausted', 'cancelled', 'missing'],
  failed: ['exhausted', 'cancelled'],
  missing: ['missing'],
  delivered: ['delivered'],
  all: ['exhausted', 'cancelled', 'missing', 'delivered'],
} as const satisfies Record<string, readonly DeliveryState[]>

export type ReplayStatus = keyof typeof chosen
export const replayStatuses = Object.keys(chosen) as readonly ReplayStatus[]

export function isChosen(status: ReplayStatus, delivery: DeliveryState): boolean {
  const states: readonly DeliveryState[] = chosen[status]
  return states.includes(delivery)
}

/**
 * Chooses candidates in order while there is room.
 * @param room how many may be queued
 * @param through where the reading ended
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
