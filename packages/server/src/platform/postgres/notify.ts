// Notifications to every replica, sent when the transaction commits: sent earlier, they would find nothing yet.

import type { Query, Tx } from './query.ts'

export const loopNames = ['send', 'apply', 'resume', 'reconcile', 'replay', 'alerts'] as const
export type LoopName = (typeof loopNames)[number]

/**
 * Carries the endpoints with new deliveries whose lanes nobody holds, for the send loops. On its own channel, news of an endpoint
 * makes the holder of its lane read the configuration and the next retry as well: a second statement for each event would take
 * as long as the first.
 */
export const deliveriesChannel = 'causeway_deliveries'

/** Names the channel for the lanes that one replica holds: the others have nothing to do for them. */
export const deliveriesChannelOf = (owner: string): string => `${deliveriesChannel}_${owner}`

/** Carries the businesses whose streams have grown, or whose onboarding links have changed. */
export const streamChannel = 'causeway_stream'

/** Shared by the processes in which someone waits for `streamChannel` (listening/audience.ts). */
export const streamLock = 7_238_048

/**
 * A condition: whether someone may wait for `streamChannel`. Until the transaction ends, someone who comes waits for the
 * lock, and then finds what the transaction has stored.
 */
export const hasAudienceSql = (query: Query) =>
  query`not pg_try_advisory_xact_lock(${query.unsafe(String(streamLock))})`

/** Carries the business whose API keys, console links or console sessions have changed, or that has changed itself. */
export const keysChannel = 'causeway_keys'

/** Tells every replica to drop its cache of API keys, and those who wait with a key of the business to prove themselves again. */
export async function notifyKeysChanged(tx: Tx, businessId: string): Promise<void> {
  await tx`select pg_notify(${keysChannel}, ${businessId})`
}

/** Wakes the pages of a business that wait, and those who wait for its events: a link has changed. */
export async function notifyPages(tx: Tx, businessId: string): Promise<void> {
  await tx`select pg_notify(${streamChannel}, ${businessId})`
}

/** Names the channel on which a loop is woken. */
export function channelOf(loop: LoopName): string {
  return `causeway_${loop}`
}

/**
 * Wakes a loop in every replica.
 * @param about for `send`: the endpoint that has news; nothing means any
 */
export async function wakeOnCommit(tx: Tx, loop: LoopName, about = ''): Promise<void> {
  await tx`select pg_notify(${channelOf(loop)}, ${about})`
}
