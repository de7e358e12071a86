// All commands in the order of the help.

import type { CommandSpec } from '../command.ts'
import { operatorCommands } from './operator-commands.ts'
import { playCommands } from './play-commands.ts'
import { profileCommands } from './profile-commands.ts'
import { programCommands } from './program-commands.ts'
import { resourceCommands } from './resources/tree.ts'
import { starterCommands } from './starter-commands.ts'
import { watchCommands } from './watch-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

export const listCommands = (): readonly CommandSpec[] => [
  ...starterCommands,
  ...webhookCommands,
  ...playCommands,
  ...watchCommands,
  ...profileCommands,
  ...programCommands,
  ...resourceCommands(),
  ...operatorCommands,
]
