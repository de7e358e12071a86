// Rules about every text of the project: nothing is left for later, and nothing speaks of one person's machine.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from './finding.ts'

const patterns = [
  '**/*.{ts,tsx,js,md,mdx,css,sql,yml,yaml}',
  '.ci/run',
  '.npmrc',
  '.gitignore',
  '{.,packages/*}/*.json',
]
const skipped = /(^|\/)(node_modules|\.causeway|coverage|dist|\.git)(\/|$)|openapi\.json$/

/** Texts by path. */
export function readTexts(root: string): ReadonlyMap<string, string> {
  const paths = globSync(patterns, { cwd: root, exclude: (path) => skipped.test(path) })
  return new Map(
    paths.filter((path) => !skipped.test(path)).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

type Taboo = { words: RegExp; problem: string; remedy: string; covers?(path: string): boolean }

// Written in pieces, so that this table does not find itself.
const taboos: readonly Taboo[] = [
  {
    words: new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`),
    problem: 'leaves something for later',
    remedy: 'Do it now, or open an issue and leave no mark in the source.',
  },
  {
    words: new RegExp(
      `(^|[\\s'"\`(=])/(${['ho' + 'me', 'ro' + 'ot', 'Us' + 'ers', 'wo' + 'rk', 'm' + 'nt'].join('|')})/`,
    ),
    problem: 'names a path of one machine',
    remedy: 'Write it relative to the project, or as an example below /path/to.',
  },
  {
    words: new RegExp(
      `https?://[^\\s/'"\`]*(${['regis' + 'try', 'verda' + 'ccio', 'artifac' + 'tory', 'nex' + 'us'].join('|')})`,
    ),
    problem: 'names a package registry',
    remedy: 'Leave the choice of a registry to the machine.',
  },
]

export function findInTexts(texts: ReadonlyMap<string, string>): Finding[] {
  const findings: Finding[] = []
  for (const [path, text] of texts) {
    for (const [index, line] of text.split('\n').entries()) {
      for (const { words, problem, remedy } of taboos) {
        if (words.test(line)) findings.push({ path, line: index + 1, problem, remedy })
      }
    }
  }
  return findings
}
