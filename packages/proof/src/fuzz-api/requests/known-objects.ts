// What a story knows of one business: its credentials, and the objects that answers have told of, as places in paths.

import type { Names } from '../../../../server/test/http/operation-matrix.ts'
import { echoIn } from '../../fuzz/marks.ts'

export type Noun = keyof Names

export type Business = {
  customer: string
  key: string
  /** May read events, and nothing else. */
  weakKey: string
  /** Once good keys that are so no longer. */
  deadKeys: string[]
  /** Runs out at this time of `performance.now`, with what a cache may add. */
  expiring: { key: string; atMs: number } | null
  /** Issued by the story itself; to be revoked. */
  spareKeys: { id: string; key: string }[]
  /** Ids of the credentials above: a request that revokes one of them ends the story. */
  reserved: ReadonlySet<string>
  living: Map<Noun, string[]>
  gone: Map<Noun, string[]>
}

const prefixes: Readonly<Record<string, Noun>> = {
  va: 'account',
  dep: 'deposit',
  evt: 'event',
  dlv: 'delivery',
  key: 'apiKey',
  whe: 'webhookEndpoint',
  rpl: 'replay',
}

const keptMax = 40

/** Reads from an answer the ids that this business may use from now on. */
export function learn(business: Business, answered: unknown): void {
  if (typeof answered !== 'object' || answered === null) return
  for (const [name, value] of Object.entries(answered)) {
    if (typeof value !== 'string') learn(business, value)
    // Marked names are not used again: an error may name the end-user it is about.
    else if (name === 'externalUserId' && !echoIn(value)) keep(business, 'externalUserId', value)
    else {
      const noun = prefixes[/^([a-z]+)_[0-9a-z]{26,32}$/.exec(value)?.[1] ?? '']
      if (noun !== undefined) keep(business, noun, value)
    }
  }
}

function keep(business: Business, noun: Noun, name: string): void {
  const known = business.living.get(noun) ?? []
  if (business.reserved.has(name) || known.includes(name) || business.gone.get(noun)?.includes(name)) return
  business.living.set(noun, [...known, name].slice(-keptMax))
}

export function bury(business: Business, noun: Noun, name: string): void {
  business.living.set(
    noun,
    (business.living.get(noun) ?? []).filter((other) => other !== name),
  )
  business.gone.set(noun, [...(business.gone.get(noun) ?? []), name])
}
