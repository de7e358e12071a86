// The mutants of StrykerJS: each is a small change of a source file, compiled into the file and switched on by an environment variable.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

export type Mutant = {
  /** The value of `activeMutant` that switches the mutant on. */
  id: string
  file: string
  line: number
  /** Where the original text is in the file. */
  start: number
  end: number
  original: string
  replacement: string
}

export type Mutated = {
  mutants: readonly Mutant[]
  /** By path: the text of the file with all of its mutants, none of them switched on. */
  texts: ReadonlyMap<string, string>
}

/** The environment variable that Stryker's code reads. */
export const activeMutant = '__STRYKER_ACTIVE_MUTANT__'

/** TypeScript refuses a wrong word of a union. Other texts are for people, and each would take a test of its wording. */
const excludedMutations = ['StringLiteral']

const silence = {
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false },
  ...{ trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} },
}

export async function mutate(root: string, files: readonly string[]): Promise<Mutated> {
  const originals = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const given = Array.from(originals, ([name, content]) => ({ name, content, mutate: true }))
  const made = await new Instrumenter(silence).instrument(given, { plugins: [], excludedMutations, ignorers: [] })
  const included = made.mutants.filter(({ status }) => status !== 'Ignored')
  const mutants = included.map(({ id, fileName: file, location, replacement }) => {
    const text = originals.get(file) ?? ''
    const [start, end] = [offsetOf(text, location.start), offsetOf(text, location.end)]
    return { id, file, line: location.start.line + 1, start, end, original: text.slice(start, end), replacement }
  })
  return { mutants, texts: new Map(made.files.map(({ name, content }) => [name, content])) }
}

/** @returns the text of a file with the mutant in place of the original */
export function textWith(
  { start, end, replacement }: Pick<Mutant, 'start' | 'end' | 'replacement'>,
  text: string,
): string {
  return text.slice(0, start) + replacement + text.slice(end)
}

function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let start = 0
  for (let before = 0; before < line; before++) start = text.indexOf('\n', start) + 1
  return start + column
}
