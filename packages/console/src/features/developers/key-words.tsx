// Who a key is, in words, and whether it lives.

import type { ApiKey } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Tone } from '../../components/ui/badge.tsx'
import { keyNamesQuery } from './queries.ts'

export type KeyState = 'live' | 'ending' | 'expired' | 'revoked'

const soonMs = 7 * 86_400_000

/** A rolled key lives until its overlap is over. */
export function keyState({ revokedAt, expiresAt }: ApiKey, nowMs: number): KeyState {
  if (revokedAt !== null) return 'revoked'
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - nowMs
  if (leftMs <= 0) return 'expired'
  return leftMs < soonMs ? 'ending' : 'live'
}

const states: Readonly<Record<KeyState, readonly [Tone, string]>> = {
  live: ['good', 'Active'],
  ending: ['warn', 'Expires soon'],
  expired: ['off', 'Expired'],
  revoked: ['off', 'Revoked'],
}

export function KeyBadge({ apiKey }: { apiKey: ApiKey }) {
  const [tone, words] = states[keyState(apiKey, Date.now())]
  return <Badge tone={tone}>{words}</Badge>
}

/** @returns the name of a key by its id, as far as it is known; words for who is no key */
export function useActorNames(): (id: string) => string {
  const { data: keys } = useQuery(keyNamesQuery)
  return (id) => {
    if (id === 'operator') return 'Operator'
    if (id === 'provider') return 'Provider'
    if (id === 'causeway') return 'Causeway'
    return keys?.find((key) => key.id === id)?.name ?? shortId(id)
  }
}

/** The beginning and end of an id, for places where the whole would be too long. */
export const shortId = (id: string): string => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)
