// How much has happened since a list was read. The list itself stays as it is until its reader asks for more.

import type { Event } from '@causeway/sdk'
import { useEffect, useRef, useState } from 'react'
import { onEvent } from './live.ts'

/**
 * Counts events as they come.
 * @param isNews whether the list would show it
 * @returns the count, and how to begin anew
 */
export function useNews(isNews: (event: Event) => boolean): [count: number, reset: () => void] {
  const [count, setCount] = useState(0)
  const isOfInterest = useRef(isNews)
  isOfInterest.current = isNews
  useEffect(() => onEvent((event) => isOfInterest.current(event) && setCount((before) => before + 1)), [])
  return [count, () => setCount(0)]
}
