// What an event says about whose it is, and where it stands among the others.

/** `own`: written by this service. A provider event is `verified` when its signature is. */
export type EventTrust = 'verified' | 'unverified' | 'own'

export type EventOwner = {
  businessId: string
  endUserId: string | null
  virtualAccountId: string | null
  externalUserId: string | null
}

/** Where the reading of a business's stream begins: behind a place, with the oldest event that is kept, behind the newest. */
export type StreamStart = number | 'oldest' | 'newest'
