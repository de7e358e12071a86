// When a receiver counts as one that only fails.

/** Failures in a row after which the receiver is probed instead of sent to. */
export const breakerFailures = 10
