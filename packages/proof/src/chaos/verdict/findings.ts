// What a verdict finds, in words that lead to the cause.

export type Findings = {
  /** Acknowledged, or told by the provider, and not there, or not as it was told. */
  lost: string[]
  /** Made more than once for one request. */
  doubled: string[]
  /** Answers with a 2xx beyond the first of one event at one endpoint. */
  duplicates: number
  /** Of any other promise. */
  broken: string[]
}

export const noFindings = (): Findings => ({ lost: [], doubled: [], duplicates: 0, broken: [] })

export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  return Map.groupBy(rows, keyOf)
}
