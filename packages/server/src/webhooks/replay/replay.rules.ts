// Which events of its range a replay sends again, by how their delivery to the endpoint stands.

export const replayStates = ['running', 'done', 'cancelled', 'failed'] as const
export type ReplayState = (typeof replayStates)[number]

/**
 * `missing`: the event never had a delivery to this endpoint. `untold`: neither had it, and it was meant for another
 * endpoint alone.
 */
export type DeliveryState = 'pending' | 'delivered' | 'exhausted' | 'cancelled' | 'missing' | 'untold'

/** What a caller asks for, and which deliveries that means. What waits already is never sent twice. */
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
 * Takes candidates in order until there is no more room.
 * @param room how many may be queued
 * @param through where the reading ended, which holds when nothing is left over
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
