// Reads the texts in which bugs are planted, and those in which tests are looked up.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `words`: searching 3 MB for each of 300 texts takes a second, and looking up their words takes none. */
export type Source = { text: string; words: ReadonlySet<string> }

/** By path from the root. */
export type Sources = ReadonlyMap<string, Source>

export type Tree = {
  /** The sources and the manifest of a package, without its tests; of the `workspace`, what npm reads. */
  sourcesOf(name: string): Sources
  /** Test files, and the modules next to them that may define tests. */
  tests: Sources
  /** For each module of `tests` the others that import it. */
  importers: ReadonlyMap<string, readonly string[]>
  /** Names of the npm scripts. */
  scripts: ReadonlySet<string>
}

const isTest = (file: string): boolean => file.endsWith('.test.ts')

export function readTree(root: string): Tree {
  const packages = new Map<string, Sources>()
  const manifest: { scripts?: object } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const tests = read(root, ['packages/*/{test,e2e}/**/*.ts', 'packages/*/src/**/*.test.ts'])
  return {
    sourcesOf: (name) => {
      const found = packages.get(name) ?? read(root, patternsOf(name), isTest)
      packages.set(name, found)
      return found
    },
    tests,
    importers: importersOf(tests),
    scripts: new Set(Object.keys(manifest.scripts ?? {})),
  }
}

const patternsOf = (name: string): string[] =>
  name === 'workspace'
    ? ['package.json', '.npmrc']
    : [`packages/${name}/src/**/*.{ts,tsx,sql,css}`, `packages/${name}/package.json`]

function read(root: string, patterns: readonly string[], leaveOut = (_file: string): boolean => false): Sources {
  const files = globSync(patterns, { cwd: root }).filter((file) => !leaveOut(file))
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return [file, { text, words: new Set(text.match(/[\w$]+/g)) }]
    }),
  )
}

function importersOf(tests: Sources): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const [file, { text }] of tests)
    for (const [, target = ''] of text.matchAll(/ from '(\.[^']+)'/g)) {
      const module = join(dirname(file), target)
      const known = importers.get(module) ?? []
      importers.set(module, known)
      known.push(file)
    }
  return importers
}

/** @returns the test files that run a test with this title: more or less than one is a fault of the list */
export function testFilesOf(title: string, { tests, importers }: Pick<Tree, 'tests' | 'importers'>): string[] {
  const suites = title.split(' > ')
  const name = suites.pop() ?? ''
  // The first and the last may be parts of words.
  const words = (name.match(/[\w$]+/g) ?? []).slice(1, -1)
  const holds = ({ text, words: known }: Source): boolean =>
    words.every((word) => known.has(word)) && text.includes(name)
  const files = [...tests].filter(([, source]) => holds(source)).flatMap(([file]) => runnersOf(file, importers))
  return files.filter((file) => suites.every((suite) => tests.get(file)?.text.includes(suite)))
}

/** @returns the file if it is a test file, or else the test files that import it, directly or through others */
function runnersOf(file: string, importers: Tree['importers']): string[] {
  if (isTest(file)) return [file]
  const reached = new Set([file])
  for (const module of reached) for (const importer of importers.get(module) ?? []) reached.add(importer)
  return [...reached].filter(isTest)
}
