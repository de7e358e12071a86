// How much has happened since a list was read. The list itself stays as it is until its reader asks for more.

import type { Event } from '@causeway/sdk'
import { useEffect, useRef, useState } from 'react'
import { onEvent } from './live.ts'

/**
 * Counts events as they come.
 * @param readAtMs when what is shown was read: the count starts again with it
 * @param isNews whether the list would show it
 */
export function useNews(readAtMs: number, isNews: (event: Event) => boolean): number {
  const [news, setNews] = useState({ since: readAtMs, count: 0 })
  const current = useRef({ readAtMs, isNews })
  current.current = { readAtMs, isNews }
  useEffect(
    () =>
      onEvent((event) => {
        const { readAtMs: since, isNews } = current.current
        if (isNews(event)) setNews((before) => ({ since, count: before.since === since ? before.count + 1 : 1 }))
      }),
    [],
  )
  return news.since === readAtMs ? news.count : 0
}
