// Rows of the webhook lists, built from the server's responses.

import type { DeliveryStats, EndpointStats, Stats, WebhookEndpoint } from '@causeway/sdk'

/** One hour or day of an endpoint. */
export type Span = { at: string; delivered: number; failed: number; p50Ms: number | null; p95Ms: number | null }

export type Health = { stats: EndpointStats | null; spans: readonly Span[] | null }

export type EndpointRow = WebhookEndpoint & Health

const spanMs = { hour: 3_600_000, day: 86_400_000 } as const

/** @returns null in place of what is not known yet */
export function hourlyTotals(endpointId: string, all: Stats | undefined): Health {
  if (all === undefined) return { stats: null, spans: null }
  const stats = all.endpoints.find(({ webhookEndpointId }) => webhookEndpointId === endpointId) ?? null
  return { stats, spans: spansOf(all, stats?.history ?? []) }
}

/** Every hour or day of the range, those without attempts included. */
function spansOf({ from, to, interval }: Stats, history: readonly DeliveryStats[]): Span[] {
  const byTime = new Map(history.map((span) => [Date.parse(span.at), span]))
  const spans: Span[] = []
  for (let at = Date.parse(from); at < Date.parse(to); at += spanMs[interval]) {
    const { attempts = 0, successRate = null, p50Ms = null, p95Ms = null } = byTime.get(at) ?? {}
    const delivered = Math.round(attempts * (successRate ?? 0))
    spans.push({ at: new Date(at).toISOString(), delivered, failed: attempts - delivered, p50Ms, p95Ms })
  }
  return spans
}
