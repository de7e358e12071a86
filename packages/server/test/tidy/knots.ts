// What does not hold yet, place by place, below the rule that it breaks. The table only ever gets shorter: a line whose
// violation is gone has to go as well.

import type { Finding } from './finding.ts'

export const knots: Readonly<Record<string, readonly string[]>> = {
  folderRule: [
    'packages/cli/src: holds N source files',
    'packages/proof/src/bench: holds N source files',
    'packages/proof/src/chaos: holds N source files',
    'packages/proof/src/fuzz-api: holds N source files',
  ],
  functionLengthRule: [
    'packages/proof/src/abuse/stage.ts: a function of N lines',
    'packages/proof/src/chaos-relay/verdict.ts: a function of N lines',
    'packages/proof/src/chaos/world.ts: a function of N lines',
    'packages/proof/src/crash-points/stage.ts: a function of N lines',
    'packages/server/src/main.ts: a function of N lines',
  ],
}

/** @returns findings that no knot excuses, and knots that excuse nothing any more */
export function withoutKnots(
  findings: readonly Finding[],
  excused: readonly string[],
): { rest: Finding[]; gone: string[] } {
  const left = [...excused]
  const rest = findings.filter((finding) => {
    const at = left.indexOf(knotOf(finding))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return { rest, gone: left }
}

/** Without the line and without the count, which change while one works beside it. */
export function knotOf({ path, problem }: Finding): string {
  return `${path}: ${problem.replaceAll(/\d+/g, 'N')}`
}
