// What happened: read by pages, or pulled as a stream by a program without a public address.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
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
   * Pulls events, oldest first, each once, until `signal` ends the loop. Lost connections and a busy server are outlived.
   * `eventOf(event.payload)` of this package gives the payload its type.
   * @throws ConflictError `cursor_expired` when events behind `after` are gone: go on after its `nextCursor`
   */
  stream(options: StreamOptions = {}): AsyncGenerator<Event, void> {
    return streamEvents<Event>((query, request) => this.#api.send('listEvents', { query }, request), options)
  }

  /** Reads an event. @throws NotFoundError `event_not_found` */
  get(id: string, options?: RequestOptions): Promise<Event> {
    return this.#api.call('getEvent', { path: { id } }, options)
  }

  /** Reads the deliveries of an event, one for each endpoint. */
  deliveries(id: string, options?: RequestOptions): Promise<Delivery[]> {
    return this.#api.call('listDeliveriesOfEvent', { path: { id } }, options)
  }

  /** Tells for each endpoint whether the event arrived, and why not. */
  explain(id: string, options?: RequestOptions): Promise<EventExplanation> {
    return this.#api.call('explainEvent', { path: { id } }, options)
  }

  /** Sends an event again: to every endpoint that subscribes to its type, or to the one named. */
  replay(id: string, body?: Body<'replayEvent'>, options?: WriteOptions): Promise<Delivery[]> {
    return this.#api.call('replayEvent', { path: { id }, ...(body && { body }) }, options)
  }
}
