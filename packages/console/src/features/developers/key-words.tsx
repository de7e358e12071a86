// Whether a key lives, in words.

import type { ApiKey } from '@causeway/sdk'
import { Badge, type Tone } from '../../components/ui/badge.tsx'

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
