// The page in a frame of the business: reports its state to the embedding page.

/** State and height of the page. Contains no input of the end-user. */
export type Told =
  | {
      type: 'causeway.onboarding.state'
      state: 'start' | 'terms' | 'form' | 'waiting' | 'hosted' | 'done' | 'stopped' | 'ended'
    }
  | { type: 'causeway.onboarding.height'; height: number }

export const isEmbedded = (): boolean => window.parent !== window

export type Parent = {
  tell(told: Told): void
  /** Sets the origins of the business that may receive messages. Before this call, nothing is sent. */
  allow(origins: readonly string[]): void
}

/** Pending messages by kind: only the latest is kept until it may be sent. */
type Waiting = Partial<Record<Told['type'], Told>>

/**
 * Waits for the embedding page's greeting. The browser reports its origin, which must be one of the business's.
 * @returns the sender of messages to that page only
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
