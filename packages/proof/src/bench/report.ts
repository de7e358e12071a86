// The figures as a table for people and as one line of JSON for machines, and their place in /docs/operate/performance.

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Cost } from '../cost-per-event/cost.ts'
import type { Besides } from './besides.ts'
import type { Machine } from './machine.ts'
import { isReached, type Measured, type Ratio } from './ratio.ts'

const page = fileURLToPath(new URL('../../../../docs/src/content/docs/operate/performance.md', import.meta.url))
const [begin, end] = ['<!-- figures: written by npm run bench -->', '<!-- end of the figures -->']

/** The ratios, then what stands behind them, then what an event costs. */
export function tablesOf({ ratios, speeds, costs = [] }: Measured): string[] {
  const goals = [
    '| | what | goal | median | min to max | |',
    '|---|---|---|---|---|---|',
    ...ratios.map((ratio) => {
      const { median, range } = textOf(ratio)
      return `| ${nameOf(ratio)} | ${ratio.what} | ${goalOf(ratio)} | ${median} | ${range} | ${verdictOf(ratio)} |`
    }),
  ]
  const behind = [
    '| behind them | median | min to max |',
    '|---|---|---|',
    ...speeds.map(({ what, unit, figures }) => {
      const [median, min, max] = [figures.median, figures.min, figures.max].map((value) => countOf(value))
      return `| ${what} | ${median} ${unit} | ${min} to ${max} |`
    }),
  ]
  const tables = [goals, ...(speeds.length > 0 ? [behind] : []), ...(costs.length > 0 ? [costTable(costs)] : [])]
  return tables.map((lines) => lines.join('\n'))
}

const countOf = (value: number): string => Math.round(value).toLocaleString('en')

function costTable(costs: readonly Cost[]): string[] {
  const millisecondsOf = (microseconds: number): string => (microseconds / 1_000).toFixed(2)
  return [
    '| an event costs (P8) | events/s | server CPU | PostgreSQL CPU | wake-ups | WAL | p50, p95 |',
    '|---|---|---|---|---|---|---|',
    ...costs.map((cost) => {
      const name =
        cost.rate === 0 ? `at the most${cost.processes > 1 ? `, ${cost.processes} processes` : ''}` : 'at a pace'
      const wakeUps = (cost.serverWakeUps + cost.postgresWakeUps).toFixed(1)
      const waits = cost.rate === 0 ? '' : `${cost.p50Ms.toFixed(1)}, ${cost.p95Ms.toFixed(1)} ms`
      return (
        `| ${name} | ${countOf(cost.eventsPerSecond)} | ${millisecondsOf(cost.serverMicroseconds)} ms | ` +
        `${millisecondsOf(cost.postgresMicroseconds)} ms | ${wakeUps} | ` +
        `${countOf(cost.walBytes)} bytes | ${waits} |`
      )
    }),
  ]
}

/** What else the machine did, over some measurements. */
export function besidesLine(besides: readonly Besides[]): string {
  const range = (values: number[]): string => {
    const [min, max] = [Math.min(...values).toFixed(2), Math.max(...values).toFixed(2)]
    return min === max ? min : `${min} to ${max}`
  }
  const others = range(besides.map(({ others }) => others))
  const stolen = range(besides.map(({ stolen }) => stolen))
  return `other processes took ${others} of a processor meanwhile, and the host gave ${stolen} to other guests`
}

/** As it is said while the rest is still measured. */
export function lineOf(ratio: Ratio): string {
  const { median, range } = textOf(ratio)
  return `${nameOf(ratio)}: ${median} (${range}), goal ${goalOf(ratio)}: ${ratio.what}`
}

const nameOf = ({ id, part }: Ratio): string => (part === null ? id : `${id} ${part}`)

function goalOf({ goal }: Ratio): string {
  if ('atLeast' in goal) return goal.atLeast === null ? 'none' : `≥ ${goal.atLeast.toFixed(2)}`
  return goal.atMost === null ? 'none' : `≤ ${goal.atMost} ${goal.unit}`
}

function verdictOf(ratio: Ratio): string {
  const reached = isReached(ratio)
  if (reached === null) return ''
  return reached ? 'reached' : 'not reached'
}

function textOf({ goal, figures }: Ratio): { median: string; range: string } {
  const write = (value: number) => ('atLeast' in goal ? value.toFixed(2) : `${value.toFixed(1)} ${goal.unit}`)
  return { median: write(figures.median), range: `${write(figures.min)} to ${write(figures.max)}` }
}

/** `{"P2": {"median", "min", "max", "pairs", "signed": {…}}, …, "costs": […], "besides": {"others", "stolen"}}` */
export function jsonOf({ ratios, costs }: Measured, besides: readonly Besides[]): string {
  const written: Record<string, Record<string, unknown>> = {}
  for (const { id, part, figures } of ratios) {
    const rounded = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(3))]))
    written[id] = part === null ? { ...rounded, ...written[id] } : { ...written[id], [part]: rounded }
  }
  const most = (values: number[]): number => Number(Math.max(0, ...values).toFixed(2))
  const others = most(besides.map(({ others }) => others))
  const stolen = most(besides.map(({ stolen }) => stolen))
  return JSON.stringify({ ...written, ...(costs && { costs }), besides: { others, stolen } })
}

/** On the page the tables stay folded until a reader asks for them; the goals that were not reached do not. */
function pageTables(measured: Measured): string[] {
  const [goals = '', behind = '', costs = ''] = tablesOf(measured)
  return [
    costs,
    '',
    verdictLine(measured.ratios),
    '',
    ...folded('Every figure and its goal', goals),
    ...folded('The speeds behind the ratios', behind),
  ]
}

const folded = (summary: string, table: string): string[] => [
  `<details><summary>${summary}</summary>`,
  '',
  table,
  '',
  '</details>',
  '',
]

function verdictLine(ratios: readonly Ratio[]): string {
  const reached = ratios.filter((ratio) => isReached(ratio) === true)
  const missed = ratios.filter((ratio) => isReached(ratio) === false)
  const count = `Of ${reached.length + missed.length} goals ${reached.length} are reached`
  if (missed.length === 0) return `${count}.`
  const named = missed.map((ratio) => `${nameOf(ratio)} (${textOf(ratio).median}, goal ${goalOf(ratio)})`)
  return `${count}. Not reached: ${named.join(', ')}.`
}

/** Puts the figures where the page has room for them; what is said around them stays. */
export async function writePage(
  measured: Measured,
  machine: Machine,
  besides: readonly Besides[],
  day: string,
): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no place for the figures`)
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  const lines = [
    begin,
    '',
    `Measured on ${day}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB; a page synced to the disk in ${machine.syncMs.toFixed(2)} ms; ${versions.join(', ')}.`,
    ...(besides.length > 0 ? ['', `Of the machine, ${besidesLine(besides)}.`] : []),
    '',
    ...pageTables(measured),
  ]
  await writeFile(page, text.slice(0, from) + lines.join('\n') + text.slice(to))
}
