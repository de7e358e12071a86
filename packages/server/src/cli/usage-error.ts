/** What a person did wrong on the command line; the usage text follows. */
export class UsageError extends Error {}
