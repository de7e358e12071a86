// The webhook inbox: a receiver for developers. It verifies the signatures of deliveries, responds as its settings say, and shows
// the deliveries as JSON.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerProblem, queryText, sendProblem } from '../pages/requests.ts'
import { changeSettings, initialSettings, publicSettings } from './settings.ts'
import { createInboxStore, type Inbox, type InboxStore } from './store.ts'

// The largest body of a delivery that is accepted and verified. Only the first 64 KiB of a body are kept.
const deliveryBytesMax = 2 * 1024 * 1024
const pageLimitMax = 500
const namePattern = '[A-Za-z0-9_-]{1,64}'

type Named = { Params: { name: string } }

/** Returns the response to one delivery, and decrements `failNext`. */
const nextAnswer = (inbox: Inbox): { status: number; delayMs: number } => {
  const { respondWith, delayMs, failNext } = inbox.settings
  if (failNext === 0) return { status: respondWith, delayMs }
  inbox.settings = { ...inbox.settings, failNext: failNext - 1 }
  return { status: 500, delayMs }
}

const registerReceiver = (scope: FastifyInstance, store: InboxStore, closing: AbortSignal): void => {
  scope.register(async (receiver) => {
    receiver.removeAllContentTypeParsers()
    const readRaw = { parseAs: 'buffer', bodyLimit: deliveryBytesMax } as const
    receiver.addContentTypeParser<Buffer>('*', readRaw, (_request, body, done) => done(null, body))

    receiver.post<Named>(`/inbox/:name(^${namePattern}$)`, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const { inbox, message } = store.receive(request.params.name, request.headers, body)
      const { status, delayMs } = nextAnswer(inbox)
      if (delayMs > 0) {
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        await wait(delayMs, undefined, { signal: AbortSignal.any([gone.signal, closing]) }).catch(() => undefined)
        // The sender closed the connection, or the sandbox stops: no response was received, so none is recorded.
        if (gone.signal.aborted || closing.aborted) return reply.hijack().raw.destroy()
      }
      store.recordAnswer(inbox, message, status)
      return reply.code(status).send()
    })
  })
}

const sendMessages = (request: FastifyRequest, reply: FastifyReply, inbox: Inbox | undefined, epoch: number) => {
  const etag = `"${epoch.toString(36)}-${inbox?.version ?? 0}"`
  reply.headers({ etag, 'cache-control': 'no-cache' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const asked = Number(queryText(request, 'limit', 4) ?? pageLimitMax)
  const limit = Number.isInteger(asked) && asked >= 1 && asked <= pageLimitMax ? asked : pageLimitMax
  const messages = inbox?.messages ?? []
  return reply.send({
    count: messages.length,
    data: messages.slice(0, limit),
    settings: publicSettings(inbox?.settings ?? initialSettings),
  })
}

const registerControls = (scope: FastifyInstance, store: InboxStore, epoch: number): void => {
  const at = `/inbox/:name(^${namePattern}$)`

  scope.get<Named>(`${at}/messages`, (request, reply) =>
    sendMessages(request, reply, store.find(request.params.name), epoch),
  )
  scope.delete<Named>(`${at}/messages`, (request, reply) => {
    store.clear(request.params.name)
    return reply.code(204).send()
  })
  scope.get<Named>(`${at}/settings`, (request, reply) =>
    reply.send(publicSettings(store.find(request.params.name)?.settings ?? initialSettings)),
  )
  scope.put<Named>(`${at}/settings`, (request, reply) => {
    const { name } = request.params
    const parsed = changeSettings(store.find(name)?.settings ?? initialSettings, request.body)
    if (!parsed.ok) return sendProblem(reply, 400, 'invalid_settings', parsed.message)
    return reply.send(publicSettings(store.configure(name, parsed.settings).settings))
  })
}

/** Registers everything under `/inbox`. `now` is unix milliseconds. */
export const inbox = async (app: FastifyInstance, options: { now: () => number }): Promise<void> => {
  const store = createInboxStore(options)
  const closing = new AbortController()
  // A separate scope: its body parsers must not reach the provider's wire.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const readJson = { parseAs: 'string', bodyLimit: 16 * 1024 } as const
    scope.addContentTypeParser('application/json', readJson, scope.getDefaultJsonParser('error', 'error'))
    scope.setErrorHandler(answerProblem)
    scope.addHook('preClose', async () => closing.abort())
    registerReceiver(scope, store, closing.signal)
    registerControls(scope, store, options.now())
  })
}
