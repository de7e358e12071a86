// The observations of a failed run, as a JSON Lines file: one line for each entry of the ledger, and one for each row of the
// evidence.

import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openLedger } from '../ledger.ts'
import type { Expectation } from '../verdict/expectation.ts'
import type { Observed } from '../verdict/observed.ts'

/** Without `explains` and `also`: these are code of the proof. */
export type SavedExpectation = Omit<Expectation, 'explains' | 'also'>

const lists = ['answers', 'acknowledged', 'checks', 'spans', 'recoveries', 'complaints', 'attempts'] as const

export async function saveObserved(file: string, observed: Observed, expect: Expectation): Promise<void> {
  await pipeline(Readable.from(linesOf(observed, expect)), createWriteStream(file))
}

function* linesOf({ ledger, evidence, stuck, unexpected }: Observed, expect: Expectation): Generator<string> {
  const line = (name: string, value: unknown): string => `${JSON.stringify([name, value])}\n`
  const { explains: _, also: __, ...expectation } = expect
  yield line('expectation', expectation)
  yield line('load', ledger.load)
  for (const name of lists) for (const entry of ledger[name]) yield line(name, entry)
  for (const entry of ledger.pulled) yield line('pulled', entry)
  for (const entry of ledger.counts) yield line('counts', entry)
  for (const one of evidence.businesses) yield line('business', one)
  yield line('provider', evidence.provider)
  for (const text of stuck) yield line('stuck', text)
  for (const text of unexpected) yield line('unexpected', text)
}

export async function readObserved(file: string): Promise<{ observed: Observed; expect: SavedExpectation }> {
  const read = new Map<string, unknown[]>()
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const [name, value] = JSON.parse(text) as [string, unknown]
    const values = read.get(name)
    if (values) values.push(value)
    else read.set(name, [value])
  }
  const all = (name: string): never[] => (read.get(name) ?? []) as never[]
  const ledger = {
    ...openLedger(),
    ...Object.fromEntries(lists.map((name) => [name, all(name)])),
    pulled: new Map<number, { id: string; position: number }[]>(all('pulled')),
    counts: new Map<string, number>(all('counts')),
    load: all('load')[0] ?? { fromMs: 0, toMs: 0 },
  }
  const evidence = { businesses: all('business'), provider: all('provider')[0] ?? null }
  const observed = { ledger, evidence, stuck: all('stuck'), unexpected: all('unexpected') }
  return { observed, expect: all('expectation')[0] ?? {} }
}
