// How many requests wait for events, seen from inside the server.

import type { World } from './world.ts'

/** How many more requests of this business may wait. Looks by taking their places for a moment. */
export function freeReaders({ inside }: Pick<World, 'inside'>, businessId: string): number {
  const open: { close(): void }[] = []
  try {
    for (;;) open.push(inside.eventReaders.open(businessId))
  } catch {
    return open.length
  } finally {
    for (const reader of open) reader.close()
  }
}
