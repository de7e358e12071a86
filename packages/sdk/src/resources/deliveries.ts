// Events on their way to endpoints, with every attempt.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { Delivery, DeliveryWithAttempts, Replay } from '../generated/types.gen.ts'

export class Deliveries {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists deliveries, newest first: what failed, what waits, what arrived. */
  list(query: Query<'listDeliveries'> = {}, options?: RequestOptions): List<Item<'listDeliveries'>> {
    return this.#api.list('listDeliveries', { query }, options)
  }

  /** Reads a delivery with its attempts. @throws NotFoundError `delivery_not_found` */
  get(id: string, options?: RequestOptions): Promise<DeliveryWithAttempts> {
    return this.#api.call('getDelivery', { path: { id } }, options)
  }

  /** Sends a delivery again, in any state. @throws ConflictError `webhook_endpoint_deleted` */
  retry(id: string, options?: WriteOptions): Promise<Delivery> {
    return this.#api.call('retryDelivery', { path: { id } }, options)
  }

  /** Begins to send the failed deliveries of a filter again: one replay an endpoint. @throws ConflictError `replay_in_progress` */
  retryFailed(filter: Body<'retryDeliveries'>['filter'] = {}, options?: WriteOptions): Promise<readonly Replay[]> {
    return this.#api.call('retryDeliveries', { body: { filter } }, options)
  }
}
