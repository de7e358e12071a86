// States of endpoints, deliveries and replays in the words of the pages.

import type { ReplaySelection, ReplayState } from '@causeway/sdk'
import type { Tone } from '../../components/ui/badge.tsx'
import { deliveryStates, deliveryStatuses } from '../../subjects/delivery.ts'

type State = readonly [tone: Tone, words: string]

export const statusOptions = deliveryStatuses.map((status) => [status, deliveryStates[status][1]] as const)

const outcomes: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  connect_error: 'Connection failed',
  tls_error: 'TLS failed',
  protocol_error: 'Not valid HTTP',
  refused_address: 'Address refused',
}

/** “200”, “503”, “Timed out”. */
export function outcomeWords(outcome: string): string {
  return outcomes[outcome] ?? outcome.replace(/^http_/, '')
}

export const isSuccess = (outcome: string): boolean => /^http_2\d\d$/.test(outcome)

export const replayStates: Readonly<Record<ReplayState, State>> = {
  running: ['busy', 'Running'],
  done: ['good', 'Done'],
  cancelled: ['off', 'Canceled'],
  failed: ['bad', 'Failed'],
}

export const selectionWords: Readonly<Record<ReplaySelection, string>> = {
  undelivered: 'All undelivered events',
  failed: 'Deliveries that were attempted and not delivered',
  missing: 'Events never queued for the endpoint',
  delivered: 'Delivered events',
  all: 'All events',
}

/** A duration in the unit that is read at a glance. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

export function percent(rate: number | null): string {
  if (rate === null) return '–'
  // 99.95% must not read as 100%: something failed.
  const shown = Math.floor(rate * 1_000) / 10
  return `${shown === 100 || shown === 0 ? shown : shown.toFixed(1)}%`
}

type Attempted = { attempts: number; successRate: number | null }

/** “118 of 120”: what a percentage stands for. */
export const deliveredOf = ({ attempts, successRate }: Attempted): string =>
  `${Math.round(attempts * (successRate ?? 0)).toLocaleString('en')} of ${attempts.toLocaleString('en')}`
