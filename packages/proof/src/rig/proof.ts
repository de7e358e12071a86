// The frame of every proof: options, the line that repeats the run, parts one after the other, one line of JSON, exit codes.

import { setTimeout as delay } from 'node:timers/promises'
import { chanceOf } from './chance.ts'
import type { Database } from './databases/database.ts'
import { type Options, readOptions, refuse } from './options.ts'
import { endOnSignals, runProof } from './programs.ts'
import { type PartResult, type PartRun, runScenario, type Scenario } from './scenario.ts'

export type Head<O> = {
  /** The script's name in package.json. */
  script: string
  /** One sentence: the first line of `--help` and of a run. */
  promise: string
  /** Rows of failures.md. A test fails if a row has neither a proof nor a named test. */
  holds: readonly number[]
  options: Options<O>
  /** @returns what is wrong with options that are valid one by one; null if nothing is */
  problem?: (options: O) => string | null
}

export type Proving<O> = {
  scenario<D extends Database>(given: Scenario<O, D>): Proving<O>
  /** Adds a part that is not a scenario. @returns figures for the line of JSON, and faults */
  part(name: string, prove: (run: PartRun<O>, stack: AsyncDisposableStack) => Promise<PartResult>): Proving<O>
  start(): Promise<void>
}

type Part<O> = { name: string; prove(run: PartRun<O>, stack: AsyncDisposableStack): Promise<PartResult> }

const examplesShownMax = 40

/** Handles what all proofs share: options, worlds, loads, signals, one line of JSON, exit codes. */
export function proof<O extends Record<string, unknown>>(head: Head<O>): Proving<O> {
  const parts: Part<O>[] = []
  const proving: Proving<O> = {
    scenario(given) {
      const { name = '' } = given
      parts.push({ name, prove: (run, stack) => runScenario(head.script, given, run, stack) })
      return proving
    },
    part(name, prove) {
      parts.push({ name, prove })
      return proving
    },
    start: () => runProof(head.script, () => prove(head, parts)),
  }
  return proving
}

async function prove<O extends Record<string, unknown>>(head: Head<O>, parts: readonly Part<O>[]): Promise<void> {
  const { script, promise } = head
  const options = readOptions(script, promise, head.options)
  const problem = head.problem?.(options)
  if (problem) refuse(script, problem)
  console.log(`${promise}\n${commandOf(script, options)}`)
  const startedAt = performance.now()
  const figures: Record<string, unknown> = {}
  const faults: string[] = []
  for (const { name, prove } of parts) {
    await using stack = new AsyncDisposableStack()
    endOnSignals(stack)
    const result = await prove(partRun(options), stack)
    const at = name === '' ? script : `${script}: ${name}`
    for (const line of [...(result.examples ?? []).slice(0, examplesShownMax), ...result.faults])
      console.error(`${at}: ${line}`)
    Object.assign(figures, name === '' ? result.figures : { [name]: result.figures })
    faults.push(...result.faults)
  }
  const durationMs = Math.round(performance.now() - startedAt)
  console.log(JSON.stringify({ proof: script, options, ...figures, durationMs, faults: faults.length }))
  process.exitCode = faults.length > 0 ? 1 : 0
}

function partRun<O extends Record<string, unknown>>(options: O): PartRun<O> {
  const seed = typeof options['seed'] === 'number' ? options['seed'] : 0
  return {
    options,
    chance: (stream) => chanceOf(seed, stream),
    log: (line) => console.log(`${new Date().toISOString().slice(11, 23)} ${line}`),
    wait: (seconds) => delay(seconds * 1_000),
  }
}

/** @returns the command that repeats the run, its seed included */
function commandOf(script: string, options: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    return value === true ? [`--${name}`] : [`--${name} ${String(value)}`]
  })
  return `npm run ${script} -- ${given.join(' ')}`
}
