// `causeway commands`: every command with its arguments and options, for programs that offer or document them.

import type { CommandSpec, Context } from '../command.ts'
import { groups } from '../commands/groups.ts'
import { exitCodesOf, optionsOf } from '../commands/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { show } from '../output/show.ts'

export async function printCommands(context: Context): Promise<number> {
  show(
    context,
    context.commands.map((spec) => ({
      name: spec.name,
      summary: spec.summary,
      arguments: (spec.args ?? []).map(([name, description]) => ({ name, description })),
      options: optionsOf(spec),
      examples: spec.examples.map((example) => `causeway ${example}`),
      exitCodes: Object.fromEntries(exitCodesOf(spec).map((text) => text.split(/ +(.*)/).slice(0, 2))),
    })),
  )
  return exitCodes.done
}

/** A word to type, and its description. */
export type Word = readonly [word: string, description: string]
/** The words that can follow `causeway <name>`. */
export type Place = {
  name: string
  /** Commands below it, or its options. */
  words: readonly Word[]
  /** Words that require a value. */
  valued: readonly string[]
}

/** @returns the first words, and the words that can follow each group and command */
export function listPlaces(commands: readonly CommandSpec[]): readonly Place[] {
  const below = new Map<string, Word[]>([['', []]])
  for (const { name, summary } of commands) {
    const [group = '', word] = name.split(' ')
    const isNew = word === undefined || !below.has(group)
    if (isNew) below.get('')?.push([group, word === undefined ? summary : (groups[group] ?? '')])
    if (word !== undefined) below.set(group, [...(below.get(group) ?? []), [word, summary]])
  }
  const groupPlaces = [...below].map(([name, words]) => ({ name, words, valued: [] }))
  return [...groupPlaces, ...commands.map(placeOf)]
}

function placeOf(spec: CommandSpec): Place {
  const options = [...optionsOf(spec), { flags: '--help', description: 'what it does', takesValue: false }]
  const spelled = options.flatMap(({ flags, ...option }) =>
    [...flags.matchAll(/(?:^|, )(--?[\w-]+)/g)].map(([, word = '']) => ({ word, ...option })),
  )
  return {
    name: spec.name,
    words: spelled.map(({ word, description }) => [word, description]),
    valued: spelled.filter(({ takesValue }) => takesValue).map(({ word }) => word),
  }
}
