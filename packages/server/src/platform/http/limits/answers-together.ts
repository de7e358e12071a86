// Answers to reads that are ready in one turn of the event loop are written together, at its end. Each write wakes whoever
// waits for it, which was nearly half of a read's cost; of several at once the first wakes for all. Until then `reply.sent` is
// false: an async handler that sends by itself returns what `reply.send` returns.

import type { onSendHookHandler } from 'fastify'
import type { App } from '../app.ts'

/** The last of all hooks of a route: what comes behind it could run as part of another request. */
export function answerTogether(app: App): void {
  let ready: (() => void)[] = []
  const writeReady = (): void => {
    const now = ready
    ready = []
    for (const write of now) write()
  }
  const waitForTurn: onSendHookHandler = (_request, _reply, _payload, done) => {
    if (ready.length === 0) setImmediate(writeReady)
    ready.push(done)
  }
  // Answers to writes come out of one commit together by themselves.
  app.addHook('onRoute', (route) => {
    if (route.method !== 'GET') return
    route.onSend = [...[route.onSend ?? []].flat(), waitForTurn]
  })
}
