// Tells the loops of every replica that there is work, at the moment the transaction that made it is committed.

import type { Tx } from './query.ts'

export const loopNames = ['send', 'apply', 'resume', 'reconcile', 'replay'] as const
export type LoopName = (typeof loopNames)[number]

/** Carries the businesses whose streams have grown, for those who read them. */
export const streamChannel = 'causeway_stream'

/** Some API key, or the business that holds it, has changed. */
export const keysChannel = 'causeway_keys'

export async function tellOfKeys(tx: Tx): Promise<void> {
  await tx`select pg_notify(${keysChannel}, '')`
}

export function channelOf(loop: LoopName): string {
  return `causeway_${loop}`
}

/**
 * A wake-up sent any earlier would find nothing yet, and the loop would go back to sleep.
 * @param about for `send`: the endpoint that has news; nothing means any
 */
export async function wakeOnCommit(tx: Tx, loop: LoopName, about = ''): Promise<void> {
  await tx`select pg_notify(${channelOf(loop)}, ${about})`
}
