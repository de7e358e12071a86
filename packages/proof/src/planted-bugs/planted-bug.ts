// A planted bug: one promise of the product broken on purpose by a small change of its text, and what must notice.

/** A text of a package, or of the workspace itself, found by its tokens, and the text that takes its place. */
export type Change = {
  in:
    | 'server'
    | 'sdk'
    | 'cli'
    | 'sandbox'
    | 'embedded-postgres'
    | 'console'
    | 'onboarding'
    | 'forms'
    | 'proof'
    | 'workspace'
  /**
   * Name of the enclosing function, method, class or constant. In files that are not TypeScript: the file's name. Only if
   * the text occurs more than once in the package.
   */
  within?: string
  /** Whitespace, line breaks and trailing commas do not count. Must match exactly one place in the package. */
  find: string
  replace: string
}

/** An npm script that proves promises, with the shortest arguments that catch the bug. */
export type Proof = {
  script: string
  args: readonly string[]
  /** Part of the fault that catches the bug: only if a busy machine causes other faults, which then count for nothing. */
  fault?: string
}

export type PlantedBug = Change & {
  /** In kebab-case. */
  name: string
  /** The broken promise. */
  promise: string
  /** The promise's row in promises.ts; `null` for a promise of a page. */
  row: number | null
  /** Changed too, if a second wall behind the first one would hide the bug. */
  also?: readonly Change[]
} & (
    | {
        /**
         * Parts of test titles as the file spells them, tried in order; each occurs in exactly one test file. `suite > test`: if
         * the title comes from a table, or from a module that several test files run.
         */
        caughtBy: readonly [string, ...string[]]
        provenBy?: never
      }
    | { provenBy: Proof; caughtBy?: never }
  )

export type TestedBug = Extract<PlantedBug, { caughtBy: readonly string[] }>
export type ProvenBug = Extract<PlantedBug, { provenBy: Proof }>

export const isTested = (bug: PlantedBug): bug is TestedBug => bug.caughtBy !== undefined
export const isProven = (bug: PlantedBug): bug is ProvenBug => bug.provenBy !== undefined

export const changesOf = ({ in: owner, within, find, replace, also = [] }: PlantedBug): readonly Change[] => [
  { in: owner, ...(within === undefined ? {} : { within }), find, replace },
  ...also,
]
