// The figures as a table for people and as one line of JSON for machines, and their place in /docs/operate/performance.

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Machine } from './machine.ts'
import { type Figures, isReached, type Measured, type Ratio } from './ratio.ts'

const page = fileURLToPath(new URL('../../../../docs/src/content/docs/operate/performance.md', import.meta.url))
const [begin, end] = ['<!-- figures: written by npm run bench -->', '<!-- end of the figures -->']

export function tableOf({ ratios, speeds }: Measured): string {
  return [
    '| | what | goal | median | min | max | pairs | |',
    '|---|---|---|---|---|---|---|---|',
    ...ratios.map((ratio) => {
      const { median, min, max, pairs } = textOf(ratio)
      return `| ${nameOf(ratio)} | ${ratio.what} | ${goalOf(ratio)} | ${median} | ${min} | ${max} | ${pairs} | ${verdictOf(ratio)} |`
    }),
    ...(speeds.length === 0 ? [] : ['', '| behind them | median | min | max |', '|---|---|---|---|']),
    ...speeds.map(({ what, unit, figures }) => {
      const cells = [figures.median, figures.min, figures.max].map(
        (value) => `${Math.round(value).toLocaleString('en')} ${unit}`,
      )
      return `| ${what} | ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

/** As it is said while the rest is still measured. */
export function lineOf(ratio: Ratio): string {
  const { median, min, max } = textOf(ratio)
  return `${nameOf(ratio)}: ${median} (${min} to ${max}), goal ${goalOf(ratio)}: ${ratio.what}`
}

const nameOf = ({ id, part }: Ratio): string => (part === null ? id : `${id} ${part}`)

function goalOf({ goal }: Ratio): string {
  if ('atLeast' in goal) return goal.atLeast === null ? 'none' : `≥ ${goal.atLeast.toFixed(2)}`
  return goal.atMostMs === null ? 'none' : `≤ ${goal.atMostMs} ms`
}

function verdictOf(ratio: Ratio): string {
  const reached = isReached(ratio)
  if (reached === null) return ''
  return reached ? 'reached' : 'not reached'
}

function textOf({ goal, figures }: Ratio): Record<keyof Figures, string> {
  const write = (value: number) => ('atLeast' in goal ? value.toFixed(2) : `${value.toFixed(1)} ms`)
  return {
    median: write(figures.median),
    min: write(figures.min),
    max: write(figures.max),
    pairs: String(figures.pairs),
  }
}

/** `{"P2": {"median", "min", "max", "pairs", "signed": {…}}, …}` */
export function jsonOf({ ratios }: Measured): string {
  const written: Record<string, Record<string, unknown>> = {}
  for (const { id, part, figures } of ratios) {
    const rounded = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(3))]))
    written[id] = part === null ? { ...rounded, ...written[id] } : { ...written[id], [part]: rounded }
  }
  return JSON.stringify(written)
}

/** Puts the figures where the page has room for them; what is said around them stays. */
export async function writePage(measured: Measured, machine: Machine, day: string): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no place for the figures`)
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  const lines = [
    begin,
    '',
    `Measured on ${day}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB; a page synced to the disk in ${machine.syncMs.toFixed(2)} ms; ${versions.join(', ')}.`,
    '',
    tableOf(measured),
    '',
  ]
  await writeFile(page, text.slice(0, from) + lines.join('\n') + text.slice(to))
}
