// The end-user's position on the page, with one entry of the browser's history per step. An entry contains only two
// numbers; the step itself stays in memory.

import { useEffect, useRef, useState } from 'react'

/** `visit`: of which load or submission the entry is. */
type Entry = { visit: number; index: number }

export const firstPlace = 'start'
/** The terms, and the first step of the form. */
export const begunPlace = 'begun'

export type Trail = ReturnType<typeof useTrail>

export function useTrail() {
  const [hasStartedOver] = useState(() => (entryOf(history.state)?.index ?? 0) > 0)
  const [place, setPlace] = useState(firstPlace)
  const now = useRef({ visit: 0, index: 0, places: [firstPlace], isHeld: false }).current
  const show = (index: number): void => {
    now.index = index
    setPlace(now.places[index] ?? firstPlace)
  }
  /** Makes the current entry the first. Earlier entries belong to a previous visit. */
  const restart = (): void => {
    Object.assign(now, { visit: Date.now(), places: [firstPlace] })
    history.replaceState({ visit: now.visit, index: 0 } satisfies Entry, '')
    show(0)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listener reads what is in `now`
  useEffect(() => {
    restart()
    const move = ({ state }: PopStateEvent): void => {
      const entry = entryOf(state)
      if (entry === null) return
      if (now.isHeld) history.forward()
      else if (entry.visit === now.visit) show(entry.index)
      else {
        // An entry of an earlier visit leads nowhere: it is left out. Where nothing is below it, it is the first.
        history.replaceState({ visit: now.visit, index: 0 } satisfies Entry, '')
        show(0)
        history.back()
      }
    }
    addEventListener('popstate', move)
    return () => removeEventListener('popstate', move)
  }, [])
  return {
    place,
    /** Whether the page was reloaded half way, and what was typed is gone. */
    hasStartedOver,
    restart,
    go(next: string): void {
      if (next === place) return
      now.places = [...now.places.slice(0, now.index + 1), next]
      history.pushState({ visit: now.visit, index: now.index + 1 } satisfies Entry, '')
      show(now.index + 1)
    },
    back: (): void => history.back(),
    canGoBack: now.index > 0,
    /** While a submission is sent, the page stays where it is. */
    hold(isHeld: boolean): void {
      now.isHeld = isHeld
    },
  }
}

function entryOf(state: unknown): Entry | null {
  const { visit, index } = (state ?? {}) as Partial<Entry>
  return visit === undefined || index === undefined ? null : { visit, index }
}
