// A webhook receiver: verifies, responds immediately, drops duplicates, detects gaps; and a way to wait for an event.
// In your product, the sets and lists below are tables, with `webhook-id` as a unique key.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type EventData, SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'
import { Sequence } from './sequence.ts'

type EventType = keyof EventData

const PATIENCE_MS = 20_000

interface Waiter {
  readonly wants: (event: VerifiedWebhook) => boolean
  readonly give: (event: VerifiedWebhook) => void
}

export class Receiver {
  /** Shown once, when the endpoint is made. Until it is here, nothing can be verified, so nothing is taken. */
  signingSecret = ''
  readonly sequence = new Sequence()
  readonly refused: string[] = [] // why
  readonly #ids = new Set<string>()
  readonly #firstRepeat = Promise.withResolvers<string>()
  readonly #events: VerifiedWebhook[] = []
  readonly #waiters = new Set<Waiter>()
  readonly #server = createServer((request, response) => void this.#receive(request, response))

  /** Listens on a free local port. @returns the URL to register */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** The id of the first webhook that came again, and was dropped. */
  get firstRepeat(): Promise<string> {
    return inTime(this.#firstRepeat.promise, 'something was sent again')
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks) // the signature covers these bytes
    try {
      const event = await verify(body, request.headers, this.signingSecret)
      const { webhookId } = event.delivery
      const isRepeat = this.#ids.has(webhookId)
      this.#ids.add(webhookId) // your database does both in one statement, before the response
      response.writeHead(200).end()
      if (isRepeat) this.#firstRepeat.resolve(webhookId)
      else this.#work(event)
    } catch (error) {
      if (error instanceof SignatureError) this.refused.push(error.reason)
      response.writeHead(401).end()
    }
  }

  #work(event: VerifiedWebhook): void {
    this.sequence.add(event.delivery.sequence ?? 0)
    this.#events.push(event)
    for (const waiter of [...this.#waiters]) if (waiter.wants(event)) waiter.give(event)
  }

  /** The object of the first event that fits, among those that came already and those to come. */
  async until<T extends EventType>(
    type: T,
    what: string,
    wants: (data: EventData[T]) => boolean,
  ): Promise<EventData[T]> {
    const isIt = (event: VerifiedWebhook) => event.type === type && wants(event.data as EventData[T])
    return (await this.#next(what, isIt)).data as EventData[T]
  }

  /** Waits until no number up to `last` is missing. */
  async allUpTo(last: number): Promise<void> {
    const isWhole = () => this.sequence.missingUpTo(last).length === 0
    if (!isWhole()) await this.#next(`the events ${this.sequence.missingUpTo(last)} are there`, isWhole)
  }

  async #next(what: string, wants: (event: VerifiedWebhook) => boolean): Promise<VerifiedWebhook> {
    const known = this.#events.find(wants)
    if (known !== undefined) return known
    const { promise, resolve } = Promise.withResolvers<VerifiedWebhook>()
    const waiter: Waiter = { wants, give: resolve }
    this.#waiters.add(waiter)
    return inTime(promise, what).finally(() => this.#waiters.delete(waiter))
  }
}

async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No webhook told that ${what}, in ${PATIENCE_MS} ms.`)), PATIENCE_MS)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
