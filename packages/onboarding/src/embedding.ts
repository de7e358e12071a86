// The page in a frame of the business: whom it tells how it stands.

/** How the page stands, and how high it is. Nothing that the end-user typed. */
export type Told =
  | {
      type: 'causeway.onboarding.state'
      state: 'start' | 'terms' | 'form' | 'waiting' | 'hosted' | 'done' | 'stopped' | 'ended'
    }
  | { type: 'causeway.onboarding.height'; height: number }

export const isEmbedded = (): boolean => window.parent !== window

export type Parent = {
  tell(told: Told): void
  /** The business names the sites that may be told. Before that nothing is told. */
  allow(origins: readonly string[]): void
}

/** The kinds of what is told: of each the latest is kept until somebody may be told. */
type Waiting = Partial<Record<Told['type'], Told>>

/**
 * Waits for the page around the frame to say hello. Its origin is told by the browser, and must be one of the business's.
 * @returns what tells that page, and no other
 */
export function listenToParent(): Parent {
  let greeted: string | null = null
  let allowed: readonly string[] = []
  let waiting: Waiting = {}
  const send = (): void => {
    if (greeted === null || !allowed.includes(greeted)) return
    for (const told of Object.values(waiting)) window.parent.postMessage(told, greeted)
    waiting = {}
  }
  addEventListener('message', ({ source, origin, data }) => {
    const isHello = (data as { type?: unknown } | null)?.type === 'causeway.onboarding.hello'
    if (!isHello || source !== window.parent || !isEmbedded()) return
    greeted = origin
    send()
  })
  return {
    tell(told) {
      waiting = { ...waiting, [told.type]: told }
      send()
    },
    allow(origins) {
      allowed = origins
      send()
    },
  }
}
