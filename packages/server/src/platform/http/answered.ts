// What is done once an answer has gone out. Node says so on a channel, once for each answer of the process; a hook of Fastify's
// would put two listeners on every answer and take them off again.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** On the clock of `performance`. */
    startedMs: number
  }
}

/** @param ms from the first hooks to the last byte */
export type Note = (request: FastifyRequest, reply: FastifyReply, ms: number) => void

const channel = 'http.server.response.finish'
const ours = Symbol('reply')
type Answer = ServerResponse & { [ours]?: FastifyReply }

/** Comes before whatever may wait or refuse. Nothing is noted of a request that Fastify refuses before it has a route. */
export function whenAnswered(app: App, ...notes: Note[]): void {
  app.decorateReply('startedMs', 0)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.startedMs = performance.now()
    const answer: Answer = reply.raw
    answer[ours] = reply
    done()
  })
  const take = (message: unknown): void => {
    const { response, server } = message as { response: Answer; server: Server }
    const reply = response[ours]
    if (server !== app.server || !reply) return
    const ms = performance.now() - reply.startedMs
    for (const note of notes) note(reply.request, reply, ms)
  }
  subscribe(channel, take)
  app.addHook('onClose', (_app, done) => {
    unsubscribe(channel, take)
    done()
  })
}
