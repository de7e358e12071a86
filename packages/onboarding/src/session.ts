// The current state of a link's page: opened once, then followed by long polls.

import { useCallback, useEffect, useState } from 'react'
import { Client, type PageState, Refused } from './client.ts'

/** The client stays when the page has ended, so that it looks as it did. */
export type Session =
  | { is: 'opening'; client: Client | null }
  | { is: 'ended'; client: Client | null; code: string; requestId: string | null }
  | { is: 'open'; client: Client; state: PageState; refresh: () => Promise<void> }

const pauseMs = 3_000

export function useSession(code: string): Session {
  const [client, setClient] = useState<Client | null>(null)
  const [state, setState] = useState<PageState | null>(null)
  const [ended, setEnded] = useState<Refused | null>(null)
  const show = useCallback((next: PageState) => {
    // Of two concurrent responses, the one that was read first may arrive last.
    setState((shown) => (shown !== null && shown.now > next.now ? shown : next))
  }, [])
  useEffect(() => {
    const gone = new AbortController()
    follow(code, { open: setClient, show, end: setEnded, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) setEnded(error instanceof Refused ? error : new Refused('internal_error'))
    })
    return () => gone.abort()
  }, [code, show])
  const refresh = useCallback(async () => {
    if (client) show(await client.state())
  }, [client, show])
  if (ended) return { is: 'ended', client, code: ended.code, requestId: ended.requestId }
  return client && state ? { is: 'open', client, state, refresh } : { is: 'opening', client }
}

type Following = {
  open: (client: Client) => void
  show: (state: PageState) => void
  end: (refused: Refused) => void
  signal: AbortSignal
}

async function follow(code: string, { open, show, end, signal }: Following): Promise<void> {
  const client = await Client.open(code)
  client.onEnded = end
  open(client)
  let state = await client.state()
  while (!signal.aborted) {
    show(state)
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
