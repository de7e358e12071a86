// Events: listed by page, or streamed by a program without a public URL.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { ApiPromise } from '../core/response.ts'
import { type StreamOptions, streamEvents } from '../core/stream.ts'
import type { Delivery, Event, EventExplanation } from '../generated/types.gen.ts'

export class Events {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists events, newest first. */
  list(query: Omit<Query<'listEvents'>, 'after' | 'wait'> = {}, options?: RequestOptions): List<Item<'listEvents'>> {
    return this.#api.list('listEvents', { query }, options)
  }

  /**
   * Polls events, oldest first, each once, until `signal` ends the loop. Survives lost connections and a busy server.
   * `eventOf(event.payload)` of this package types the payload.
   * @throws ConflictError `cursor_expired` when events after `after` were deleted: continue from its `nextCursor`
   */
  stream(options: StreamOptions = {}): AsyncGenerator<Event, void> {
    return streamEvents<Event>((query, request) => this.#api.send('listEvents', { query }, request), options)
  }

  /** Reads an event. @throws NotFoundError `event_not_found` */
  get(id: string, options?: RequestOptions): ApiPromise<Event> {
    return this.#api.call('getEvent', { path: { id } }, options)
  }

  /** Reads the deliveries of an event, one for each endpoint. */
  deliveries(id: string, options?: RequestOptions): ApiPromise<Delivery[]> {
    return this.#api.call('listDeliveriesOfEvent', { path: { id } }, options)
  }

  /** Explains for each endpoint whether the event arrived, and why not. */
  explain(id: string, options?: RequestOptions): ApiPromise<EventExplanation> {
    return this.#api.call('explainEvent', { path: { id } }, options)
  }

  /** Resends an event to every endpoint that subscribes to its type, or to one endpoint. */
  replay(id: string, body?: Body<'replayEvent'>, options?: WriteOptions): ApiPromise<Delivery[]> {
    return this.#api.call('replayEvent', { path: { id }, ...(body && { body }) }, options)
  }
}
