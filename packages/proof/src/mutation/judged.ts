// Mutants that survive, judged one by one in judged-mutants.txt, which describes its lines.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultOfChange } from '../planted-bugs/check.ts'
import { placesOf, tokensOf } from '../planted-bugs/place.ts'
import type { Change } from '../planted-bugs/planted-bug.ts'
import type { Tree } from '../planted-bugs/tree.ts'
import { type Mutant, textWith } from './mutants.ts'

/** An entry names no package: its text is in one of these. */
const packages = ['server', 'forms'] as const
export type Judged = Omit<Change, 'in'>

const form = /^(?<within>\S+) · (?<find>.+?) → (?<replace>.*?) · (?:equivalent|unobservable|convenience): .+$/

export function readJudged(): Judged[] {
  return judgedOf(readFileSync(join(import.meta.dirname, 'judged-mutants.txt'), 'utf8'))
}

/** @throws Error with the line that has another form */
export function judgedOf(text: string): Judged[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const { within = '', find = '', replace = '' } = form.exec(line)?.groups ?? {}
    if (within === '') throw new Error(`judged mutant: not "NAME · FIND → REPLACE · KIND: REASON": ${line}`)
    return { within, find, replace }
  })
}

export function faultsOfJudged(list: readonly Judged[], tree: Tree): string[] {
  return list.flatMap((one) => {
    const owner = packages.find((name) => placesOf(one, tree.sourcesOf(name)).length > 0) ?? 'server'
    return faultOfChange({ ...one, in: owner }, tree).map((fault) => `judged mutant: ${fault}`)
  })
}

/** @returns whether a mutant makes the same text of its file as one of the entries does */
export function judgeOf(list: readonly Judged[], tree: Tree): (mutant: Mutant) => boolean {
  const sources = new Map(packages.flatMap((name) => [...tree.sourcesOf(name)]))
  const made = (file: string, change: Parameters<typeof textWith>[0]): string =>
    `${file} ${tokensOf(textWith(change, sources.get(file)?.text ?? '')).join(' ')}`
  const known = new Set(
    list.flatMap((one) =>
      placesOf(one, sources).map(({ file, start, end }) => made(file, { start, end, replacement: one.replace })),
    ),
  )
  return (mutant) => known.has(made(mutant.file, mutant))
}
