// The options and exit codes of a command: its own, and those that it shares with other commands of its reach.

import type { CommandSpec } from '../command.ts'
import { apiExitCodeTexts, exitCodeTexts } from '../output/exit-codes.ts'

export type OptionSpec = {
  /** As the help shows it: `-v, --verbose`, `--limit <count>`. */
  flags: string
  description: string
  takesValue: boolean
  isRequired: boolean
  isRepeatable: boolean
}

type Given = readonly [flags: string, description: string]

/** Also before a command: `causeway --json whoami`. */
export const json: Given = ['--json', 'print JSON (default when output is not a terminal)']
const target: readonly Given[] = [
  ['--profile <name>', 'use this profile of "causeway login"'],
  ['--base-url <url>', 'use this deployment, with CAUSEWAY_API_KEY or --api-key'],
  ['--api-key <->', 'read the API key from standard input ("-")'],
]

export function optionsOf({ options = [], reach }: CommandSpec): readonly OptionSpec[] {
  const shared = reach === 'process' ? [] : reach === 'api' ? [json, ...target] : [json]
  return [...options, ...shared].map(([marked, description]) => ({
    flags: marked.replace(/^[!*]/, ''),
    description,
    takesValue: marked.includes('<'),
    isRequired: marked.startsWith('!'),
    isRepeatable: marked.startsWith('*'),
  }))
}

export const exitCodesOf = ({ reach, exitCodes = [] }: CommandSpec): readonly string[] => [
  ...exitCodeTexts,
  ...(reach === 'api' ? apiExitCodeTexts : []),
  ...exitCodes,
]
