// Reads a business's events, each once, from the first on.

import { complain, nextPath, Stuck } from './caller.ts'
import { refusalOf, type Teller } from './stories.ts'

/** Reads until the run is over and there are no more events. */
export async function pullEvents({ business, caller, notes, isOver }: Teller): Promise<void> {
  const pulled: { id: string; position: number }[] = []
  notes.pulled.set(business.index, pulled)
  let next = '/v0/events?wait=2&limit=100'
  try {
    for (;;) {
      const wasOver = isOver()
      const page = await caller.get(next)
      // A restore moved the stream on: the link leads there, and positions show that events are missing.
      const moved = !page.ok && page.code === 'cursor_expired' ? nextPath(page.link) : null
      if (moved !== null) {
        next = moved
        continue
      }
      if (!page.ok) return complain(notes, refusalOf(`GET ${next}`, page))
      const events = page.data as unknown as { id: string; position: number }[]
      pulled.push(...events.map(({ id, position }) => ({ id, position })))
      next = nextPath(page.link) ?? next
      if (wasOver && events.length === 0) return
    }
  } catch (error) {
    if (!(error instanceof Stuck)) throw error
    complain(notes, error.message, 'stuck')
  }
}
