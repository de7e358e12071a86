// A copy of the working tree in which a bug may be planted: the tree that somebody works in is never changed.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Place, placesOf } from './place.ts'
import type { Change } from './planted-bug.ts'
import type { Tree } from './tree.ts'

export type TreeCopy = Disposable & {
  root: string
  /** Applies all changes. Disposing of the result undoes them. @throws Error if a text does not match exactly one place */
  plant(changes: readonly Change[]): Disposable
}

/** In a copy: where its tests put their files. One that is cut short leaves them, and they go with the copy. */
export const scratchFolder = '.scratch'

const leftOut = new Set(['node_modules', '.git', '.causeway', 'dist'])
const modules = 'node_modules'

export function copyTree(root: string, tree: Tree): TreeCopy {
  const target = mkdtempSync(join(tmpdir(), 'causeway-planted-'))
  const removeCopy = () => rmSync(target, { recursive: true, force: true })
  try {
    chmodSync(target, 0o711) // a database of root's runs as somebody else, and has its socket below
    mkdirSync(join(target, scratchFolder), { mode: 0o711 })
    cpSync(root, target, { recursive: true, filter: (source) => !leftOut.has(basename(source)) })
    const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name))
    for (const folder of ['.', ...packages]) {
      const installed = join(root, folder, modules)
      if (existsSync(installed)) symlinkSync(installed, join(target, folder, modules))
    }
  } catch (error) {
    removeCopy()
    throw error
  }
  return { root: target, plant: (changes) => plant(target, changes, tree), [Symbol.dispose]: removeCopy }
}

function plant(root: string, changes: readonly Change[], tree: Tree): Disposable {
  const edits = changes.map((change) => ({ ...placeOf(change, tree), replace: change.replace }))
  const originals = new Map<string, string>()
  const undo = () => {
    for (const [path, text] of originals) writeFileSync(path, text)
  }
  try {
    // From the end of a file to its start: no edit moves the place of another.
    for (const { file, start, end, replace } of edits.toSorted((left, right) => right.start - left.start)) {
      const path = join(root, file)
      const text = readFileSync(path, 'utf8')
      if (!originals.has(path)) originals.set(path, text)
      writeFileSync(path, text.slice(0, start) + replace + text.slice(end))
    }
  } catch (error) {
    undo()
    throw error
  }
  return { [Symbol.dispose]: undo }
}

function placeOf(change: Change, tree: Tree): Place {
  const [place, ...more] = placesOf(change, tree.sourcesOf(change.in))
  if (place === undefined || more.length > 0) throw new Error(`"${change.find}" is not in ${change.in} exactly once`)
  return place
}
