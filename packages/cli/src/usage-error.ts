// What a person did wrong on the command line.

/** The usage text follows what it says. */
export class UsageError extends Error {}
