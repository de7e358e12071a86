// All commands in the order of the help.

import type { CommandSpec } from '../command.ts'
import { operatorCommands } from './operator-commands.ts'
import { starterCommands } from './starter-commands.ts'

export const commands: readonly CommandSpec[] = [...starterCommands, ...operatorCommands]

/** What the words with commands below them are about. */
export const groups: Readonly<Record<string, string>> = {
  customer: 'businesses that may call the API (operator)',
  key: 'API keys of a business (operator)',
  audit: 'who did what (operator)',
  secrets: 'deployment secrets (operator)',
  provider: 'the connection to the provider (operator)',
}
