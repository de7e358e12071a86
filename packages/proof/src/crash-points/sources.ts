// The product's sources with every `await` a point, made once for all the servers of a run.

import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { instrument } from './instrument.ts'

const root = fileURLToPath(new URL('../../../server/src/', import.meta.url))

/** A change made to the product before it is tried: a bug that must be caught. `file` below packages/server/src. */
export type Planted = { file: string; old: string; new: string }

/** @throws Error unless the text that a planted bug replaces occurs exactly once in its file */
export async function writeSources(target: string, planted: readonly Planted[]): Promise<void> {
  const sources: Record<string, string> = {}
  for await (const file of glob('**/*.ts', { cwd: root })) {
    if (file.endsWith('.test.ts') || file.endsWith('.d.ts')) continue
    let source = await readFile(join(root, file), 'utf8')
    for (const bug of planted) if (bug.file === file) source = replaceOnce(source, bug)
    sources[pathToFileURL(join(root, file)).href] = instrument(source, file)
  }
  await writeFile(target, JSON.stringify(sources))
}

function replaceOnce(source: string, { file, old, new: text }: Planted): string {
  if (source.split(old).length !== 2) throw new Error(`${file} does not have once: ${old}`)
  return source.replace(old, () => text)
}
