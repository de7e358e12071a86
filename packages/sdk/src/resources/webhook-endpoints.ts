// Where events are sent: endpoints, the default one by its URL, and replays.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type {
  Replay,
  WebhookEndpoint,
  WebhookEndpointTest,
  WebhookEndpointWithSecret,
  WebhookUrl,
} from '../generated/types.gen.ts'

export class WebhookEndpoints {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Adds an endpoint. `signingSecret` is shown here and never again. */
  create(body: Body<'createWebhookEndpoint'>, options?: WriteOptions): Promise<WebhookEndpointWithSecret> {
    return this.#api.call('createWebhookEndpoint', { body }, options)
  }

  /** Lists endpoints, newest first. */
  list(query: Query<'listWebhookEndpoints'> = {}, options?: RequestOptions): List<Item<'listWebhookEndpoints'>> {
    return this.#api.list('listWebhookEndpoints', { query }, options)
  }

  /** Reads an endpoint: its state, why it is disabled, the last sequence number. */
  get(id: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.#api.call('getWebhookEndpoint', { path: { id } }, options)
  }

  /** Changes address, filter, order or status (`paused`, `enabled`). */
  update(id: string, body: Body<'updateWebhookEndpoint'>, options?: WriteOptions): Promise<WebhookEndpoint> {
    return this.#api.call('updateWebhookEndpoint', { path: { id }, body }, options)
  }

  /** Deletes an endpoint. Its waiting deliveries are cancelled. */
  delete(id: string, options?: WriteOptions): Promise<{ deleted: boolean }> {
    return this.#api.call('deleteWebhookEndpoint', { path: { id } }, options)
  }

  /** Draws a new signing secret. The old one signs too for `overlapHours`, 0 to 168, by default 24. */
  rotateSecret(
    id: string,
    body?: Body<'rotateWebhookSecret'>,
    options?: WriteOptions,
  ): Promise<WebhookEndpointWithSecret> {
    return this.#api.call('rotateWebhookSecret', { path: { id }, ...(body && { body }) }, options)
  }

  /** Sends a test event to this endpoint alone: `webhook_endpoint.test`, or an example of the type that is named. */
  test(id: string, body?: Body<'testWebhookEndpoint'>, options?: WriteOptions): Promise<WebhookEndpointTest> {
    return this.#api.call('testWebhookEndpoint', { path: { id }, ...(body && { body }) }, options)
  }

  /** Begins to send the events of a range again, at most 31 days. @throws ConflictError `replay_in_progress` */
  replay(id: string, body: Body<'startReplay'>, options?: WriteOptions): Promise<Replay> {
    return this.#api.call('startReplay', { path: { id }, body }, options)
  }

  /** Lists the replays of an endpoint, newest first. */
  replays(id: string, query: Query<'listReplays'> = {}, options?: RequestOptions): List<Item<'listReplays'>> {
    return this.#api.list('listReplays', { path: { id }, query }, options)
  }

  /** Reads how far a replay has come. */
  getReplay(replayId: string, options?: RequestOptions): Promise<Replay> {
    return this.#api.call('getReplay', { path: { id: replayId } }, options)
  }

  /** Ends a replay. What is queued goes out. */
  cancelReplay(replayId: string, options?: WriteOptions): Promise<Replay> {
    return this.#api.call('cancelReplay', { path: { id: replayId } }, options)
  }

  /** Sets the address of the default endpoint. `signingSecret` is shown when the endpoint is made, and never again. */
  setUrl(body: Body<'setWebhookUrl'>, options?: WriteOptions): Promise<WebhookUrl> {
    return this.#api.call('setWebhookUrl', { body }, options)
  }

  /** Reads the default endpoint. @throws NotFoundError `webhook_url_not_set` */
  getUrl(options?: RequestOptions): Promise<WebhookUrl> {
    return this.#api.call('getWebhookUrl', {}, options)
  }

  /** Deletes the default endpoint. Events stay and can be read. */
  deleteUrl(options?: WriteOptions): Promise<{ deleted: boolean }> {
    return this.#api.call('deleteWebhookUrl', {}, options)
  }
}
