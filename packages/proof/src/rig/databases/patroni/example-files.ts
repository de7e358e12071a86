// The files of deploy/patroni/, with the addresses, folders and passwords of a run in place of those of the example. Nothing
// else changes: what is advised is what is proven.

import { readFileSync, writeFileSync } from 'node:fs'

export type Replacements = Readonly<Record<string, string>>

/** Writes an example file with each occurrence of the texts replaced. @throws Error when the file lacks a text */
export function writeExample(name: string, path: string, replacements: Replacements): void {
  const example = readFileSync(new URL(`../../../../../../deploy/patroni/${name}`, import.meta.url), 'utf8')
  writeFileSync(path, filledIn(example, replacements), { mode: 0o644 })
}

/** Replaces all texts at once, so a replacement is never replaced again. */
export function filledIn(example: string, replacements: Replacements): string {
  const texts = Object.keys(replacements).sort((a, b) => b.length - a.length)
  const missing = texts.find((text) => !example.includes(text))
  if (missing !== undefined) throw new Error(`the example has no "${missing}"`)
  const pattern = new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
  return example.replace(pattern, (text) => replacements[text] ?? text)
}
