// The figures as tables for people and as one line of JSON for machines. All of them go into FIGURES.md of this package, and those
// by which an operator chooses machines into /docs/run/scale.

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Cost } from '../cost-per-event/cost.ts'
import type { Besides } from './besides.ts'
import type { Machine } from './machine.ts'
import { isReached, type Measured, type Ratio, type Speed } from './ratio.ts'

const figuresFile = fileURLToPath(new URL('../../FIGURES.md', import.meta.url))
const page = fileURLToPath(new URL('../../../../docs/src/content/docs/run/scale.md', import.meta.url))
const [begin, end] = ['<!-- figures: written by npm run bench -->', '<!-- end of the figures -->']

/** The ratios, then the speeds behind them, then the cost per event. */
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

/** Other load of the machine during some measurements. */
export function besidesLine(besides: readonly Besides[]): string {
  const range = (values: number[]): string => {
    const [min, max] = [Math.min(...values).toFixed(2), Math.max(...values).toFixed(2)]
    return min === max ? min : `${min} to ${max}`
  }
  const others = range(besides.map(({ others }) => others))
  const stolen = range(besides.map(({ stolen }) => stolen))
  return `other processes used ${others} of a core, and the host gave ${stolen} to other guests`
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

/** Speeds on the page, with the names that an operator knows. */
const pageSpeeds: ReadonlyMap<string, string> = new Map([
  ['events ingested, signature checked', 'Provider events stored, signature checked'],
  ['deliveries out of a backlog', 'Deliveries from a backlog'],
  ['row', 'API reads of one object'],
  ['page', 'API lists of 20 objects'],
  ['write', 'API writes'],
])

function speedTable(speeds: readonly Speed[]): string {
  const rows = speeds.flatMap(({ what, figures }) => {
    const name = pageSpeeds.get(what)
    return name === undefined ? [] : [`| ${name} | ${countOf(figures.median)} |`]
  })
  return ['| One process | Per second |', '|---|---|', ...rows].join('\n')
}

function verdictLine(ratios: readonly Ratio[]): string {
  const reached = ratios.filter((ratio) => isReached(ratio) === true)
  const missed = ratios.filter((ratio) => isReached(ratio) === false)
  const count = `Of ${reached.length + missed.length} goals ${reached.length} are reached`
  if (missed.length === 0) return `${count}.`
  const named = missed.map((ratio) => `${nameOf(ratio)} (${textOf(ratio).median}, goal ${goalOf(ratio)})`)
  return `${count}. Not reached: ${named.join(', ')}.`
}

/** Writes the figures between the markers of both files. The text around the markers stays. */
export async function writeFigures(
  measured: Measured,
  machine: Machine,
  besides: readonly Besides[],
  day: string,
): Promise<void> {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  const intro = `Measured on ${day}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB; a page synced to the disk in ${machine.syncMs.toFixed(2)} ms; ${versions.join(', ')}.`
  const other = besides.length > 0 ? [`During the run, ${besidesLine(besides)}.`] : []
  await writeBetweenMarkers(figuresFile, [intro, ...other, verdictLine(measured.ratios), ...tablesOf(measured)])
  const costs = measured.costs ? [costTable(measured.costs).join('\n')] : []
  await writeBetweenMarkers(page, [intro, ...costs, speedTable(measured.speeds)])
}

async function writeBetweenMarkers(file: string, paragraphs: readonly string[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no place for the figures`)
  await writeFile(file, text.slice(0, from) + [begin, ...paragraphs, ''].join('\n\n') + text.slice(to))
}
