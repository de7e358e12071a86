// The step of the form that is shown, by the place in the browser's history.

import { useEffect, useRef } from 'react'
import { begunPlace, firstPlace, type Trail } from '../trail.ts'
import type { Step } from './steps.ts'

/** The step at the place of the trail. A step that is no more, such as one of a person who was removed, is left out. */
export function useStep(steps: readonly Step[], { place, go, back }: Trail) {
  const known = steps.find(({ id }) => id === place)
  const step = known ?? (steps[0] as Step)
  const isGone = known === undefined && place !== firstPlace && place !== begunPlace
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per place
  useEffect(() => {
    if (isGone) back()
  }, [place])
  const shown = useRef(step.id)
  shown.current = step.id
  return {
    step,
    /** @param from the step of the request: an end-user who has moved to another step stays there */
    goTo(id: string, from?: Step): void {
      if (from === undefined || from.id === shown.current) go(id)
    },
  }
}
