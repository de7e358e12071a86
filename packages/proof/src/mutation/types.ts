// Asks TypeScript which mutants it refuses: nobody could land those.

import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutant, textWith } from './mutants.ts'

const config = 'tsconfig.mutation.json'
/** Each is a whole file: a thousand take TypeScript a gigabyte. */
const batchMax = 1_000
/** TypeScript names no other errors until the syntax of all files is right. */
const syntaxError = /: error TS1\d{3}:/

/**
 * Each mutant becomes a file next to its original, and TypeScript reads them all at once: errors in files that import the
 * original are not seen.
 * @param root a copy of the tree
 * @returns the ids of the mutants with an error
 */
export async function refusedByTypes(root: string, mutants: readonly Mutant[]): Promise<ReadonlySet<string>> {
  const refused = new Set<string>()
  for (let from = 0; from < mutants.length; from += batchMax) {
    const files = new Map(mutants.slice(from, from + batchMax).map((mutant) => [mutant.id, writeBeside(root, mutant)]))
    let errors: string
    do {
      errors = await errorsOf(root, [...files.values()])
      for (const [, id = ''] of errors.matchAll(/\.mutant-(\d+)\.ts\(\d+,\d+\): error/g)) {
        refused.add(id)
        rmSync(files.get(id) ?? '', { force: true })
        files.delete(id)
      }
    } while (syntaxError.test(errors))
    for (const file of files.values()) rmSync(file)
  }
  return refused
}

function writeBeside(root: string, mutant: Mutant): string {
  const path = join(root, mutant.file.replace(/ts$/, `mutant-${mutant.id}.ts`))
  writeFileSync(path, textWith(mutant, readFileSync(join(root, mutant.file), 'utf8')))
  return path
}

function errorsOf(root: string, files: readonly string[]): Promise<string> {
  // A condition that is gone leaves what it used unused: no fault of types.
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  writeFileSync(join(root, config), JSON.stringify({ extends: './tsconfig.json', include: [], files, compilerOptions }))
  const args = ['--noEmit', '--pretty', 'false', '-p', config]
  return new Promise((resolve) => {
    execFile('node_modules/.bin/tsc', args, { cwd: root, maxBuffer: 2 ** 28 }, (_error, stdout) => resolve(stdout))
  })
}
