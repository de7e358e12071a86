// Rows that came since the list was opened wait until they are asked for: a list does not move under its reader.

import type { EndUser } from '@causeway/sdk'
import { useState } from 'react'

type Held = { list: string; newest: string }

/**
 * @param rows of the first page; undefined while loading
 * @param list identifies the list: another one starts over
 * @returns the rows to show, how many are held back, and how to show them
 */
export function useHeldRows(rows: readonly EndUser[] | undefined, list: string) {
  const [held, setHeld] = useState<Held | null>(null)
  const newest = rows?.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), '') ?? ''
  // An empty list holds nothing back: its first row is what its reader waits for.
  const isNew = held?.list !== list && newest !== ''
  if (isNew) setHeld({ list, newest })
  const until = held?.list === list ? held.newest : newest
  const shown = rows?.filter(({ createdAt }) => createdAt <= until)
  return {
    shown,
    heldCount: (rows?.length ?? 0) - (shown?.length ?? 0),
    letIn: () => setHeld({ list, newest }),
  }
}
