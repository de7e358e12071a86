// One list: its first and its next page, each read several times. PostgreSQL plans a statement for its first five runs
// separately, and then may use one plan for all values.

import { blocksOf, type Plan } from '../../../server/test/query-plan.ts'
import type { ListCase } from './derived-cases.ts'
import type { Api } from './open-api.ts'

export type PageFigures = {
  name: 'first' | 'next'
  ms: number
  /** Rows of the table or index that was read most. */
  rowsRead: number
  /** Of 8 kB, by the statement that read most: entries of an index that were passed over are in no count of rows. */
  blocksRead: number
  sortedMax: number
  wholeTables: string[]
  scans: string
}
export type ListFigures = ListCase & { pages: PageFigures[] }

const runs = 7
/** An entry of an index is found through four blocks, and so is what belongs to the row. */
const blocksPerRow = 10
/** A table with fewer rows may be read as a whole. */
export const smallTableRows = 1_000
/** Or 2 µs for each row of a sum: 300,000 deposits are added up in less than 600 ms. */
const msMax = 300

export async function measureList(api: Api, list: ListCase, plansSince: () => Promise<Plan[]>): Promise<ListFigures> {
  const pages: PageFigures[] = []
  let path: string | null = list.path
  for (const name of ['first', 'next'] as const) {
    if (path === null) break
    await plansSince()
    const times: number[] = []
    let link: string | null = null
    for (let run = 0; run < runs; run++) {
      const page = await api.read({ ...list, path })
      times.push(page.ms)
      link = page.link
    }
    pages.push(figuresOf(name, times, await plansSince()))
    path = link
  }
  return { ...list, pages }
}

/** @param rows of each table: one with twice as many rows as a list may read is rightly read as a whole. @returns what is wrong */
export function judge({ operation, caller, path, rowsMax, pages }: ListFigures, rows: number): string[] {
  const isSmall = rows <= 2 * rowsMax
  return pages.flatMap(({ name, ms, rowsRead, blocksRead, sortedMax, wholeTables }) =>
    [
      !isSmall && wholeTables.length > 0 && `reads all of ${wholeTables.join(', ')}`,
      !isSmall && rowsRead > rowsMax && `reads ${rowsRead} rows, and may read ${rowsMax}`,
      blocksRead > blocksPerRow * rowsMax && `reads ${blocksRead} blocks for ${rowsMax} rows`,
      !isSmall && sortedMax > rowsMax && `sorts ${sortedMax} rows, and may read ${rowsMax}`,
      ms > Math.max(msMax, rowsMax / 500) && `takes ${ms} ms`,
    ].flatMap((fault) => (fault ? `${operation} ${path} of the ${caller} caller, ${name} page: ${fault}` : [])),
  )
}

function figuresOf(name: PageFigures['name'], times: readonly number[], plans: readonly Plan[]): PageFigures {
  const steps = plans.flatMap(stepsOf)
  return {
    name,
    ms: Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN),
    rowsRead: Math.max(0, ...plans.flatMap((plan) => [...scansOfPlan(plan).values()])),
    blocksRead: Math.max(0, ...plans.map(blocksOf)),
    sortedMax: Math.max(
      0,
      ...steps
        .filter((step) => step['Node Type'] === 'Sort')
        .flatMap((step) => step.Plans ?? [])
        .map(rowsOf),
    ),
    wholeTables: [
      ...new Set(
        steps
          .filter((step) => step['Node Type'] === 'Seq Scan' && rowsOf(step) > smallTableRows)
          .map((step) => String(step['Relation Name'])),
      ),
    ],
    scans: scansOf(plans),
  }
}

const rowsOf = (step: Plan): number =>
  Math.round((step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops'])
const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)]

/**
 * Lists the scans of a page, each with the rows it read in one run, the most first. Partitions of a table count as one. A plan
 * that was seen once is left out: it is that of a loop of the server.
 */
function scansOf(plans: readonly Plan[]): string {
  const scans = new Map<string, { rows: number; seen: number }>()
  for (const plan of plans) {
    for (const [scan, rows] of scansOfPlan(plan)) {
      const known = scans.get(scan)
      scans.set(scan, { rows: Math.max(rows, known?.rows ?? 0), seen: (known?.seen ?? 0) + 1 })
    }
  }
  return [...scans]
    .filter(([, { seen }]) => seen > 1)
    .toSorted(([, a], [, b]) => b.rows - a.rows)
    .map(([scan, { rows }]) => `${scan} (${rows})`)
    .join(', ')
}

function scansOfPlan(plan: Plan): Map<string, number> {
  const scans = new Map<string, number>()
  for (const step of stepsOf(plan)) {
    const read = step['Index Name'] ?? step['Relation Name']
    if (read === undefined || read.startsWith('pg_') || rowsOf(step) === 0) continue
    const scan = `${step['Node Type'] === 'Seq Scan' ? 'all of ' : ''}${read.replace(/_\d{8}/, '')}`
    scans.set(scan, (scans.get(scan) ?? 0) + rowsOf(step))
  }
  return scans
}
