// The page in a frame of the business: what it tells the page around it, and whom it believes.

/** What the frame tells: how it stands, how high it is, and that it has ended. Nothing that the end-user typed. */
export type Told =
  | { type: 'causeway.onboarding.state'; state: 'terms' | 'form' | 'review' | 'done' | 'stopped' | 'ended' }
  | { type: 'causeway.onboarding.height'; height: number }

export const isEmbedded = (): boolean => window.parent !== window

/** Tells the page around the frame, and no page of another origin: a browser drops a message whose origin does not fit. */
export function tell(told: Told, origins: readonly string[]): void {
  if (isEmbedded()) for (const origin of origins) window.parent.postMessage(told, origin)
}
