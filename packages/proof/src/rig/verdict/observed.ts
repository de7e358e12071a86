// The input and the output of a verdict: types, and helpers that all its parts share.

import type { Ledger } from '../ledger.ts'
import type { Conduct, ProviderRecord } from '../world.ts'

export type Row = Readonly<Record<string, unknown>>

/** The final state: through the API as each business sees it, and at the provider. */
export type Evidence = { businesses: readonly BusinessEvidence[]; provider: ProviderRecord | null }
/** `unread`: a list could not be read in time, and ends too early. */
export type BusinessEvidence = { business: BusinessFacts; unread?: boolean } & Readonly<
  Record<'users' | 'accounts' | 'deposits' | 'events', readonly Row[]>
>
export type BusinessFacts = { index: number; id: string; mark: string; endpoints: readonly EndpointFacts[] }
export type EndpointFacts = { name: string; ordering: 'best_effort' | 'per_end_user'; conduct: Conduct }
export type Observed = { ledger: Ledger; evidence: Evidence; stuck: readonly string[]; unexpected: readonly string[] }

export type Kind =
  | 'lost'
  | 'doubled'
  | 'reordered'
  | 'gap'
  | 'stuck'
  | 'unfit'
  | 'unanswered'
  | 'duplicate'
  | 'foreign'
  | 'broken'
  | 'too slow'
/** `text` helps to find the cause: it names the object, the time and the endpoint. */
export type Finding = { kind: Kind; text: string }

/** As the log of the run shows it, so that a finding leads to its fault. */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23)
}

/** Endpoints whose receivers accept everything in the end. */
export function reliableEndpoints({ endpoints }: BusinessFacts): readonly EndpointFacts[] {
  return endpoints.filter(({ conduct }) => conduct === 'healthy' || conduct === 'flaky' || conduct === 'forgetful')
}

/** The ID of an event in the bodies of its deliveries. */
export function wireIdOf(event: Row): string {
  return String(event['providerEventId'] ?? event['id'])
}

export function member(row: unknown, name: string): unknown {
  return (row as Row | null | undefined)?.[name]
}

/** Kinds of gaps: the longest time without a successful entry. */
export type Gap = 'event' | 'write' | 'read' | 'delivery' | 'ready'
