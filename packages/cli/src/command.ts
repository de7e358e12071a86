// What a command is: one entry of a table, with its help, and a body that is loaded when the command is known.

import type { Env } from './local-state.ts'

/** Where a command writes: data to `print`, everything that is said besides to `complain`; and what it reads. */
export type Terminal = {
  print(text: string): void
  complain(text: string): void
  /** Whether a person reads standard output. Default: no. */
  isInteractive?: boolean
  hasColor?: boolean
  readInput?(): Promise<Buffer>
  /** Asks a person; null when the person ends the question. Not there when nobody can be asked. */
  ask?(question: Question): Promise<string | null>
  /** Ends a command that runs until Ctrl-C. Default: the signals of the process. */
  signal?: AbortSignal
}

export type Question = { message: string; placeholder?: string; isSecret?: boolean }

/** A text for an option with a value, texts for one that may be repeated, `true` for one without a value. */
export type Flags = Readonly<Record<string, string | readonly string[] | true | undefined>>

export type Context = {
  env: Env
  terminal: Terminal
  args: readonly string[]
  flags: Flags
  /** All commands there are, for those that tell of them. */
  commands: readonly CommandSpec[]
}

/** @returns the exit code */
export type CommandBody = (context: Context) => Promise<number>

export type CommandSpec = {
  /** All of its words: `customer create`. */
  name: string
  summary: string
  /** Arguments as `<id>` or `[id]`, and what each is. */
  args?: readonly (readonly [name: string, description: string])[]
  /** Options as `--name <value>`, and what each is; `!` before it: required; `*`: may be repeated. */
  options?: readonly (readonly [flags: string, description: string])[]
  /** What follows `causeway`. */
  examples: readonly string[]
  /** Exit codes beside those of every command. */
  exitCodes?: readonly string[]
  /** `api` adds the options that say which deployment and key; `process` is one that runs, and answers nothing. */
  reach?: 'api' | 'process'
  load(): Promise<CommandBody>
}

/** A mistake on the command line. */
export class UsageError extends Error {}
