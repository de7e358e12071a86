// The page in a frame of the business: whom it tells how it stands.

/** How the page stands, how high it is. Nothing that the end-user typed. */
export type Told =
  | { type: 'causeway.onboarding.state'; state: 'terms' | 'form' | 'review' | 'done' | 'stopped' | 'ended' }
  | { type: 'causeway.onboarding.height'; height: number }

export const isEmbedded = (): boolean => window.parent !== window

/**
 * Waits for the page around the frame to say hello. Its origin is told by the browser, and must be one of the business's.
 * @returns what tells that page, and no other; it does nothing before the hello
 */
export function listenToParent(origins: () => readonly string[]): (told: Told) => void {
  let parent: string | null = null
  const waiting: Told[] = []
  addEventListener('message', ({ source, origin, data }) => {
    const isHello = (data as { type?: unknown } | null)?.type === 'causeway.onboarding.hello'
    if (!isHello || source !== window.parent || !origins().includes(origin)) return
    parent = origin
    for (const told of waiting.splice(0)) window.parent.postMessage(told, origin)
  })
  return (told) => {
    if (!isEmbedded()) return
    if (parent === null) waiting.push(told)
    else window.parent.postMessage(told, parent)
  }
}
