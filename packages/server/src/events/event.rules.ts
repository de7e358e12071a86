// What an event says about whose it is, and where it stands among the others.

/**
 * `refs`: provider ids, and ids of ours, found anywhere in the event. `externalUserId` is the caller's own id of an
 * end-user and unique only within a business.
 */
export type OwnerHints = { refs: string[]; externalUserId: string | null }

/** Where the reading of a business's stream begins: behind a place, with the oldest event that is kept, behind the newest. */
export type StreamStart = number | 'oldest' | 'newest'
