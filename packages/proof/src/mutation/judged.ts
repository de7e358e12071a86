// Mutants that survive, judged one by one. An entry is a change as planted-bugs describes one: found by its tokens, not by its line.

import { faultOfChange } from '../planted-bugs/check.ts'
import { placesOf, tokensOf } from '../planted-bugs/place.ts'
import type { Change } from '../planted-bugs/planted-bug.ts'
import type { Tree } from '../planted-bugs/tree.ts'
import { type Mutant, textWith } from './mutants.ts'

export type Judged = Change & {
  /**
   * `equivalent`: the mutant does the same. `unobservable`: it does something else that nobody promised, like the speed or
   * the wording of a log. `convenience`: no test is worth its lines.
   */
  because: 'equivalent' | 'unobservable' | 'convenience'
  reason: string
}

export function faultsOfJudged(list: readonly Judged[], tree: Tree): string[] {
  return list.flatMap((one) => faultOfChange(one, tree).map((fault) => `judged mutant: ${fault}`))
}

/** @returns the entry that makes the same text of the file as the mutant does */
export function judgedAs(mutant: Mutant, list: readonly Judged[], tree: Tree): Judged | undefined {
  const sources = tree.sourcesOf('server')
  const text = sources.get(mutant.file)?.text
  if (text === undefined) return undefined
  const wanted = tokensOf(textWith(mutant, text)).join(' ')
  return list.find((one) =>
    placesOf(one, sources).some(
      ({ file, start, end }) =>
        file === mutant.file && tokensOf(textWith({ start, end, replacement: one.replace }, text)).join(' ') === wanted,
    ),
  )
}
