// Faults of a list of bugs: a text that is gone or ambiguous, a missing test, a name used twice.

import { promises } from '../promises.ts'
import { nearestPlace, type Place, placesOf } from './place.ts'
import { type Change, changesOf, type PlantedBug } from './planted-bug.ts'
import { type Sources, type Tree, testFilesOf } from './tree.ts'

export function faultsOfList(bugs: readonly PlantedBug[], tree: Tree): string[] {
  const names = bugs.map(({ name }) => name)
  return bugs.flatMap((bug, at) => {
    const { name, row } = bug
    const faults: string[] = []
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) faults.push('its name is not in kebab-case')
    if (names.indexOf(name) !== at) faults.push('its name is used twice')
    if (row !== null && !promises[row - 1]) faults.push(`row ${row} is not in promises.ts`)
    faults.push(...changesOf(bug).flatMap((change) => faultOfChange(change, tree)), ...faultsOfCatcher(bug, tree))
    return faults.map((fault) => `${name}: ${fault}`)
  })
}

export function faultOfChange(change: Change, tree: Tree): string[] {
  const { in: owner, within, find, replace } = change
  if (find === replace) return [`"${find}" is replaced by itself`]
  const sources = tree.sourcesOf(owner)
  const places = placesOf(change, sources)
  if (places.length === 1) return []
  const where = `in ${owner}${within === undefined ? '' : `, within ${within}`}`
  if (places.length > 1) return [`"${find}" is ${where} ${places.length} times: ${linesOf(places, sources)}`]
  const nearest = nearestPlace(find, sources)
  return [`"${find}" is not ${where}.${nearest ? ` Nearest: ${linesOf([nearest], sources)}` : ''}`]
}

function faultsOfCatcher({ caughtBy, provenBy }: PlantedBug, tree: Tree): string[] {
  if (provenBy) return tree.scripts.has(provenBy.script) ? [] : [`package.json has no script "${provenBy.script}"`]
  if (caughtBy.length === 0) return ['it names no test']
  return caughtBy.flatMap((title) => {
    const files = testFilesOf(title, tree)
    if (files.length === 1) return []
    return [files.length === 0 ? `no test has "${title}"` : `"${title}" is in ${files.join(', ')}`]
  })
}

/** @returns each place as `path:line: text` */
function linesOf(places: readonly Place[], sources: Sources): string {
  return places
    .map(({ file, start, end }) => {
      const text = sources.get(file)?.text ?? ''
      const line = text.slice(0, start).split('\n').length
      return `${file}:${line}: ${text.slice(start, end).replace(/\s+/g, ' ')}`
    })
    .join('; ')
}
