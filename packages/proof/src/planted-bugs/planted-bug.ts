// A planted bug: one promise of the product broken on purpose by a small change of its text, and the tests that must say so.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `find` stands in `file` exactly once; `replace` takes its place. Paths are relative to the repository. */
export type Change = { file: string; find: string; replace: string }

export type PlantedBug = Change & {
  /** In kebab-case. */
  name: string
  /** What no longer holds. */
  promise: string
  /** Changed too: where another wall behind the first one would hide its fall. */
  also?: readonly Change[]
  /**
   * Tried in turn until a test fails. `test`: only tests with this in their title (as it stands in the file), so that a
   * bug costs little more than its test. `titles`: the file that has the title, where it is not the test file itself.
   */
  caughtBy: readonly { file: string; test?: string; titles?: string }[]
}

export const changesOf = ({ file, find, replace, also = [] }: PlantedBug): readonly Change[] => [
  { file, find, replace },
  ...also,
]

/** What makes the list worthless: a text that is gone or stands there twice, a test that is gone, a name used twice. */
export function faultsOfList(bugs: readonly PlantedBug[], root: string): string[] {
  const textOf = (file: string): string | null =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null
  const names = bugs.map(({ name }) => name)
  return bugs.flatMap((bug, at) => {
    const faults: string[] = []
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(bug.name)) faults.push('its name is not in kebab-case')
    if (names.indexOf(bug.name) !== at) faults.push('its name is used twice')
    if (bug.caughtBy.length === 0) faults.push('it names no test')
    for (const { file, find, replace } of changesOf(bug)) {
      const found = textOf(file)?.split(find).length
      if (found === undefined) faults.push(`${file} is not there`)
      else if (found !== 2) faults.push(`"${find}" stands in ${file} ${found - 1} times instead of once`)
      if (find === replace) faults.push(`it changes nothing in ${file}`)
    }
    for (const { file, test, titles = file } of bug.caughtBy) {
      const text = textOf(titles)
      if (text === null || textOf(file) === null) faults.push(`${file} is not there`)
      else if (test !== undefined && !text.includes(test)) faults.push(`${titles} has no test "${test}"`)
    }
    return faults.map((fault) => `${bug.name}: ${fault}`)
  })
}
