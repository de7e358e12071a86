// `node --import @causeway/tracing`: subscribes to Causeway's diagnostics channels and makes OpenTelemetry spans of them.
// The SDK and where spans go are the operator's: load it before this.

import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

type Facts = Record<string, string | number | undefined>

const kinds = {
  request: SpanKind.SERVER,
  upstream: SpanKind.CLIENT,
  intake: SpanKind.INTERNAL,
  delivery: SpanKind.CLIENT,
} as const

const current = new AsyncLocalStorage<Context>()

for (const [name, kind] of Object.entries(kinds)) {
  const channel = tracingChannel<Context, Facts>(`causeway:${name}`)
  const spans = new WeakMap<Facts, Span>()

  channel.start.bindStore(current, (facts) => {
    const span = trace.getTracer('causeway').startSpan(nameOf(name, facts), { kind }, parentOf(facts))
    spans.set(facts, span)
    return trace.setSpan(current.getStore() ?? context.active(), span)
  })
  channel.subscribe({
    start() {},
    end() {},
    asyncStart() {},
    error: (facts) => spans.get(facts)?.setStatus({ code: SpanStatusCode.ERROR }),
    asyncEnd(facts) {
      const span = spans.get(facts)
      if (!span) return
      for (const fact of ['method', 'route', 'operation', 'status', 'error', 'outcome', 'attempt', 'events']) {
        const value = facts[fact]
        if (value !== undefined) span.setAttribute(`causeway.${fact}`, value)
      }
      if (Number(facts['status']) >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  })
}

function nameOf(name: string, facts: Facts): string {
  if (name === 'request') return `${facts['method']} ${facts['route']}`
  return name === 'upstream' ? `upstream ${facts['operation']}` : name
}

/** The span that runs here; for a request, the caller's by its `traceparent`. */
function parentOf({ traceparent }: Facts): Context {
  const [, traceId = '', spanId = '', flags = ''] = String(traceparent ?? '').split('-')
  if (spanId === '') return current.getStore() ?? context.active()
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}
