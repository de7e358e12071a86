// Reads the plan of a statement, with the actual rows of each step.

import assert from 'node:assert/strict'
import { type Query, queryOn, type Row, type Rows } from '../src/platform/postgres/query.ts'

export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Plan[]
}

/** Makes a tag that explains each statement, and then runs it. */
export function explaining(query: Query, plans: Plan[]): Query {
  return queryOn(async ({ text, values }) => {
    const parts = text.split(/\$(\d+)/)
    const texts = parts.filter((_, at) => at % 2 === 0)
    const given = parts.filter((_, at) => at % 2 === 1).map((number) => values[Number(number) - 1])
    const run = <T extends object>(first = '') =>
      query<T[]>([`${first}${texts[0]}`, ...texts.slice(1)] as unknown as TemplateStringsArray, ...given)
    const rows = await run<{ 'QUERY PLAN': [{ Plan: Plan }] }>('explain (analyze, format json) ')
    plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan))
    return (await run()) as Rows<Row[]>
  })
}

/** @returns the blocks of 8 kB that a plan read, of tables and indexes */
export const blocksOf = (plan: Plan): number => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)

/** Fails when a whole table is read, when a step handles more than `rowsMax` rows, or when more than `sortedMax` are sorted. */
export function assertBounded(plan: Plan, bounds: { rowsMax: number; sortedMax: number }): void {
  for (const step of stepsOf(plan)) {
    const rows = (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops']
    const shown = textOf(plan)
    assert.ok(rows <= bounds.rowsMax, `${step['Node Type']} had ${rows} rows: ${shown}`)
    assert.ok(step['Node Type'] !== 'Seq Scan' || rows === 0, `all of ${step['Relation Name']} is read: ${shown}`)
    if (step['Node Type'] === 'Sort' || step['Node Type'] === 'Incremental Sort')
      for (const input of step.Plans ?? [])
        assert.ok(input['Actual Rows'] <= bounds.sortedMax, `${input['Actual Rows']} rows are sorted: ${shown}`)
  }
}

const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)]

const textOf = (plan: Plan, depth = 0): string =>
  `\n${' '.repeat(depth)}${plan['Node Type']} ${plan['Relation Name'] ?? ''} ${plan['Actual Rows']} × ${plan['Actual Loops']}` +
  (plan.Plans ?? []).map((inner) => textOf(inner, depth + 1)).join('')
