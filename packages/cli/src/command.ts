// A command of the operator: its flags, and its function; where it writes; and the error for a mistake in the flags.

import type { Deps } from '../../server/src/app/context.ts'

/** An empty text where a flag is not given; `true` for one that takes no value. */
export const noFlags = { name: '', customer: '', url: '', type: '', since: '', limit: '', heads: '', json: '', now: '' }

export type Flags = Readonly<typeof noFlags>
export type Flag = keyof Flags
export type GivenFlags = Readonly<Partial<Flags>>

/** Where a command writes its lines: the answer to `print`, what a person should know besides to `complain`. */
export type Terminal = { print(text: string): void; complain(text: string): void }

/** The needed flags are there when it runs. Its answer is printed as JSON. */
export type Command = {
  needed: readonly Flag[]
  optional?: readonly Flag[]
  run(deps: Deps, flags: Flags, terminal: Terminal): Promise<unknown>
  /** Whether the answer is one that a script should stop at: exit code 1. */
  isBad?(answer: unknown): boolean
}

export const firstPage = { limit: 100, after: null }

/** A mistake on the command line: the usage text follows its message. */
export class UsageError extends Error {}
