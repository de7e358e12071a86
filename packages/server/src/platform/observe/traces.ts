// What takes time, published on diagnostics channels for whoever listens: `causeway:request`, `causeway:upstream`,
// `causeway:intake`, `causeway:delivery`. Nobody listening costs one look at a flag. Facts name operations, routes,
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

/** @param facts `work` may add to them what it finds out */
export function traced<T>(name: 'upstream' | 'intake' | 'delivery', facts: Facts, work: () => Promise<T>): Promise<T> {
  const channel = channels[name]
  return channel.hasSubscribers ? channel.tracePromise(work, facts) : work()
}

export type OpenTrace = {
  /** Goes on within the trace, from wherever its context was lost. */
  within(work: () => void): void
  end(facts: Facts): void
}

/** For what begins and ends in different calls. Null when nobody listens. */
export function beginRequest<T>(request: T, factsOf: (request: T) => Facts): OpenTrace | null {
  const channel = channels.request
  if (!channel.hasSubscribers) return null
  const facts = factsOf(request)
  const within = channel.start.runStores(facts, () => AsyncLocalStorage.snapshot())
  return { within, end: (more) => channel.asyncEnd.publish(Object.assign(facts, more)) }
}

const noTrace = '0'.repeat(32)

/** The trace id of a W3C `traceparent`; undefined when it is none. */
export function traceIdOf(traceparent: unknown): string | undefined {
  const parts =
    typeof traceparent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(traceparent) : null
  return parts?.[1] === noTrace ? undefined : parts?.[1]
}
