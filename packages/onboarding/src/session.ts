// The page of a link as it stands now: opened once, then followed by long polls.

import { useCallback, useEffect, useState } from 'react'
import { Client, type PageState, Refused } from './client.ts'

export type Session =
  | { is: 'opening' }
  | { is: 'ended'; code: string; requestId: string | null }
  | { is: 'open'; client: Client; state: PageState; refresh: () => Promise<void> }

type Open = { client: Client; state: PageState }

const pauseMs = 3_000

export function useSession(code: string): Session {
  const [open, setOpen] = useState<Open | null>(null)
  const [ended, setEnded] = useState<Refused | null>(null)
  const show = useCallback((next: Open) => {
    // Of two answers on their way the one that was read first can come last.
    setOpen((shown) => (shown !== null && shown.state.now > next.state.now ? shown : next))
  }, [])
  useEffect(() => {
    const gone = new AbortController()
    follow(code, { show, end: setEnded, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) setEnded(error instanceof Refused ? error : new Refused('internal_error'))
    })
    return () => gone.abort()
  }, [code, show])
  const client = open?.client
  const refresh = useCallback(async () => {
    if (client) show({ client, state: await client.state() })
  }, [client, show])
  if (ended) return { is: 'ended', code: ended.code, requestId: ended.requestId }
  return open ? { is: 'open', ...open, refresh } : { is: 'opening' }
}

type Following = { show: (open: Open) => void; end: (refused: Refused) => void; signal: AbortSignal }

async function follow(code: string, { show, end, signal }: Following): Promise<void> {
  const client = await Client.open(code)
  client.onEnded = end
  let state = await client.state()
  while (!signal.aborted) {
    show({ client, state })
    state = await nextState(client, state, signal)
  }
}

/** The connection of a phone comes and goes: the page waits for it. */
async function nextState(client: Client, state: PageState, signal: AbortSignal): Promise<PageState> {
  try {
    return await client.nextState(state.version, signal)
  } catch (error) {
    if (error instanceof Refused && error.code === 'onboarding_session_ended') throw error
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return state
  }
}
