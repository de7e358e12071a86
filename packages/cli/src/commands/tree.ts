// All commands in the order of the help.

import type { CommandSpec } from '../command.ts'
import { sectionOrder } from './groups.ts'
import { operatorCommands } from './operator-commands.ts'
import { playCommands } from './play-commands.ts'
import { profileCommands } from './profile-commands.ts'
import { programCommands } from './program-commands.ts'
import { resourceCommands } from './resources/tree.ts'
import { starterCommands } from './starter-commands.ts'
import { watchCommands } from './watch-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

const listAll = (): readonly CommandSpec[] => [
  ...starterCommands,
  ...webhookCommands,
  ...playCommands,
  ...watchCommands,
  ...profileCommands,
  ...programCommands,
  ...resourceCommands(),
  ...operatorCommands,
]

const placeOf = ({ name }: CommandSpec): number => sectionOrder.indexOf(name.split(' ')[0] ?? '')

/** Sorted by the sections of the help; the commands of a group keep their order. */
export const listCommands = (): readonly CommandSpec[] =>
  listAll().toSorted((one, other) => placeOf(one) - placeOf(other))
