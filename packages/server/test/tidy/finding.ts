// A finding of a tidy rule: place, problem, and remedy.

import type { SourceTree } from './source-tree.ts'

export type Finding = { path: string; line: number; problem: string; remedy: string }

export type Rule = {
  /** The guarantee, as the name of its test. */
  holds: string
  find(tree: SourceTree): Finding[]
}

export function describeFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ path, line, problem, remedy }) => `${path}:${line} ${problem}\n    ${remedy}`)
  return `${findings.length} finding${findings.length === 1 ? '' : 's'}\n\n${lines.join('\n')}\n`
}
