// A command: its entry in the tables, its help, and a body that is loaded on demand.

import type { Env } from './local-state.ts'

/** Where a command writes (data to `print`, messages to `complain`) and what it reads. */
export type Terminal = {
  print(text: string): void
  complain(text: string): void
  /** True if a person reads standard output. Default: no. */
  isInteractive?: boolean
  /** The width in characters. Default: lines are not cut. */
  columns?: number
  hasColor?: boolean
  readInput?(): Promise<Buffer>
  /** Prompts a person. Null when the person cancels; undefined when nobody can be prompted. */
  ask?(question: Question): Promise<string | null>
  /** Ends a command that runs until Ctrl-C. Default: the signals of the process. */
  signal?: AbortSignal
}

export type Question = { message: string; placeholder?: string; isSecret?: boolean }

/** Text for an option with a value, texts for a repeatable option, `true` for an option without a value. */
export type Flags = Readonly<Record<string, string | readonly string[] | true | undefined>>

export type Context = {
  env: Env
  terminal: Terminal
  args: readonly string[]
  flags: Flags
  /** All commands, for commands that list them. */
  commands: readonly CommandSpec[]
}

/** @returns the exit code */
export type CommandBody = (context: Context) => Promise<number>

export type CommandSpec = {
  /** All words: `customers create`. */
  name: string
  summary: string
  /** Arguments as `<id>` or `[id]`, with descriptions. */
  args?: readonly (readonly [name: string, description: string])[]
  /** Options as `--name <value>`, with descriptions. Prefix `!`: required. Prefix `*`: repeatable. */
  options?: readonly (readonly [flags: string, description: string])[]
  /** Arguments of `causeway`. */
  examples: readonly string[]
  /** Exit codes that only this command has. */
  exitCodes?: readonly string[]
  /** `api` adds the options for deployment and key. `process` is long-running and has no output to format. */
  reach?: 'api' | 'process'
  load(): Promise<CommandBody>
}

/** A mistake on the command line. */
export class UsageError extends Error {}
