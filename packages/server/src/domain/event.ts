// What an event says about whose it is.

/**
 * `refs`: provider ids, and ids of ours, found anywhere in the event. `externalUserId` is the caller's own id of an
 * end-user and unique only within a business.
 */
export type OwnerHints = { refs: string[]; externalUserId: string | null }
