// How much of the provider's record this deployment has, and how far reconciliation has read.

import { until } from './caller.ts'
import type { World } from './world.ts'

/** IDs of the provider's events that are stored as verified. */
export async function heldIds({ rows }: World): Promise<string[]> {
  const held = await rows<{ id: string }>`
    select provider_event_id as id from events where trust = 'verified' order by id`
  return held.map(({ id }) => id)
}

export type PullState = {
  cursorEventId: string | null
  readEventId: string | null
  failures: number
  fence: number
  beganAt: Date | null
  eager: boolean
}

export async function pullState({ rows }: World): Promise<PullState> {
  const [row] = await rows<PullState>`select * from event_pull`
  if (!row) throw new Error('no state of the pull')
  return row
}

/** Waits until the next pull is one that leaves young events to their webhooks. */
export async function ordinaryPull(world: World): Promise<void> {
  const { fence } = await pullState(world)
  await until('an ordinary pull to be next', async () => {
    const pull = await pullState(world)
    return pull.fence > fence && !pull.eager
  })
}

/** Makes the walk due that rereads everything at the provider. */
export async function walkNow({ rows, inside }: World): Promise<void> {
  await rows`update reread_walk set due_at = now() returning provider`
  inside.wake('reconcile')
}

/** Waits until the walk that rereads everything at the provider has ended after `since`; by default the walk of the first start. */
export async function walkEnded({ rows }: World, since = new Date(0)): Promise<void> {
  await until('the end of the walk', async () => {
    const [walk] = await rows<{ endedAt: Date | null }>`select ended_at from reread_walk`
    return (walk?.endedAt ?? since) > since
  })
}
