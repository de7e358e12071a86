// Spans published on diagnostics channels: `causeway:request`, `causeway:upstream`, `causeway:intake`, `causeway:delivery`.
// Without a subscriber a span costs one look at a flag. Facts name operations, routes,
// statuses and counts: never a business, a person, an address or a secret.

import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'

export type Facts = Record<string, string | number | undefined>

const channels = {
  request: tracingChannel<Facts>('causeway:request'),
  upstream: tracingChannel<Facts>('causeway:upstream'),
  intake: tracingChannel<Facts>('causeway:intake'),
  delivery: tracingChannel<Facts>('causeway:delivery'),
}

/**
 * Runs work as a span.
 * @param facts of the span; `work` may add to them
 */
export function traced<T>(name: 'upstream' | 'intake' | 'delivery', facts: Facts, work: () => Promise<T>): Promise<T> {
  const channel = channels[name]
  return channel.hasSubscribers ? channel.tracePromise(work, facts) : work()
}

export type OpenTrace = {
  /** Runs `work` in the context of the span. */
  within(work: () => void): void
  end(facts: Facts): void
}

/** Begins a span that ends in another call. @returns null without a subscriber */
export function beginRequest<T>(request: T, factsOf: (request: T) => Facts): OpenTrace | null {
  const channel = channels.request
  if (!channel.hasSubscribers) return null
  const facts = factsOf(request)
  const within = channel.start.runStores(facts, () => AsyncLocalStorage.snapshot())
  return { within, end: (more) => channel.asyncEnd.publish(Object.assign(facts, more)) }
}

const noTrace = '0'.repeat(32)

/** Reads the trace id of a W3C `traceparent`. @returns undefined when the text is none */
export function traceIdOf(traceparent: unknown): string | undefined {
  const parts =
    typeof traceparent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(traceparent) : null
  return parts?.[1] === noTrace ? undefined : parts?.[1]
}
