// The provider's port spoken over its HTTP wire: for each operation the request and the reader of its answer.
// Keys, retries and meaning belong to the services.

import { type Caller, createCaller, type ProviderLog, path } from './caller.ts'
import { customerOperations, personOperations } from './customer-calls.ts'
import { openExchange } from './exchange.ts'
import type { PageQuery, Provider } from './port.ts'
import { readActivity } from './wire/activity.ts'
import { readEvent } from './wire/event.ts'
import { readEventList } from './wire/event-list.ts'
import { readList, readUrl } from './wire/fields.ts'
import { kycLinkBody, readKycLink } from './wire/kyc-link.ts'
import { readVirtualAccount, virtualAccountBody, virtualAccountChangeBody } from './wire/virtual-account.ts'
import { readWebhook, webhookBody, webhookChangeBody } from './wire/webhook.ts'

export type ProviderClientOptions = {
  /** Ends in `/v0`. */
  baseUrl: string
  apiKey: string
  /** The whole call: waiting for a connection, the request, the answer's last byte and, for a GET, its repeat. */
  timeoutMs?: number
  /** Of the call that creates a customer; as the others when not given. */
  customerTimeoutMs?: number
  connectTimeoutMs?: number
  log?: ProviderLog
}

export function createProviderClient(options: ProviderClientOptions): Provider {
  const base = new URL(options.baseUrl)
  const exchange = openExchange(base.origin, { connectTimeoutMs: options.connectTimeoutMs ?? 3_000 })
  const call = createCaller(exchange, {
    basePath: base.pathname.replace(/\/+$/, ''),
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs ?? 10_000,
    timeoutsMs: options.customerTimeoutMs === undefined ? {} : { createCustomer: options.customerTimeoutMs },
    log: options.log,
  })
  return {
    ...customerOperations(call),
    ...personOperations(call),
    ...kycOperations(call),
    ...virtualAccountOperations(call),
    ...webhookOperations(call),
    readEvent,
    close: exchange.close,
  }
}

type KycOperation = 'createTosLink' | 'getTosAcceptanceLink' | 'createKycLink' | 'getKycLink' | 'getCustomerKycLink'

function kycOperations(call: Caller): Pick<Provider, KycOperation> {
  return {
    createTosLink: async (write) =>
      call({ operation: 'createTosLink', method: 'POST', path: path`/customers/tos_links`, write, read: readUrl }),
    getTosAcceptanceLink: async (id) =>
      call({
        operation: 'getTosAcceptanceLink',
        method: 'GET',
        path: path`/customers/${id}/tos_acceptance_link`,
        read: readUrl,
      }),
    createKycLink: async (input, write) =>
      call({
        operation: 'createKycLink',
        method: 'POST',
        path: path`/kyc_links`,
        body: kycLinkBody(input),
        write,
        read: readKycLink,
      }),
    getKycLink: async (id) =>
      call({ operation: 'getKycLink', method: 'GET', path: path`/kyc_links/${id}`, read: readKycLink }),
    getCustomerKycLink: async (id, { endorsement, redirectUri } = {}) =>
      call({
        operation: 'getCustomerKycLink',
        method: 'GET',
        path: path`/customers/${id}/kyc_link`,
        query: {
          endorsement: endorsement && linkEndorsements.has(endorsement) ? endorsement : undefined,
          redirect_uri: redirectUri,
        },
        read: readUrl,
      }),
  }
}

/** The others have no page of their own at the provider: the plain one asks for whatever is missing. */
const linkEndorsements: ReadonlySet<string> = new Set(['sepa', 'spei', 'cards'])

type VirtualAccountOperation =
  | 'createVirtualAccount'
  | 'listVirtualAccounts'
  | 'getVirtualAccount'
  | 'updateVirtualAccount'
  | 'deactivateVirtualAccount'
  | 'reactivateVirtualAccount'
  | 'listActivity'
  | 'listAllActivity'

function virtualAccountOperations(call: Caller): Pick<Provider, VirtualAccountOperation> {
  const read = readVirtualAccount
  return {
    createVirtualAccount: async (customerId, input, write) =>
      call({
        operation: 'createVirtualAccount',
        method: 'POST',
        path: path`/customers/${customerId}/virtual_accounts`,
        body: virtualAccountBody(input),
        write,
        read,
      }),
    listVirtualAccounts: async (customerId, page) =>
      call({
        operation: 'listVirtualAccounts',
        method: 'GET',
        path: path`/customers/${customerId}/virtual_accounts`,
        query: pageQuery(page),
        read: (body) => readList(body).map(read),
      }),
    getVirtualAccount: async (customerId, id) =>
      call({
        operation: 'getVirtualAccount',
        method: 'GET',
        path: path`/customers/${customerId}/virtual_accounts/${id}`,
        read,
      }),
    updateVirtualAccount: async (customerId, id, change) =>
      call({
        operation: 'updateVirtualAccount',
        method: 'PUT',
        path: path`/customers/${customerId}/virtual_accounts/${id}`,
        body: virtualAccountChangeBody(change),
        read,
      }),
    deactivateVirtualAccount: async (customerId, id, write) =>
      call({
        operation: 'deactivateVirtualAccount',
        method: 'POST',
        path: path`/customers/${customerId}/virtual_accounts/${id}/deactivate`,
        write,
        read,
      }),
    reactivateVirtualAccount: async (customerId, id, write) =>
      call({
        operation: 'reactivateVirtualAccount',
        method: 'POST',
        path: path`/customers/${customerId}/virtual_accounts/${id}/reactivate`,
        write,
        read,
      }),
    listActivity: async (customerId, id, page) =>
      call({
        operation: 'listActivity',
        method: 'GET',
        path: path`/customers/${customerId}/virtual_accounts/${id}/history`,
        query: pageQuery(page),
        read: readActivities,
      }),
    listAllActivity: async (page) =>
      call({
        operation: 'listAllActivity',
        method: 'GET',
        path: path`/virtual_accounts/history`,
        query: pageQuery(page),
        read: readActivities,
      }),
  }
}

const readActivities = (body: unknown, answeredAt: string | null) =>
  readList(body).map((step) => readActivity(step, answeredAt))

type WebhookOperation = 'createWebhook' | 'listWebhooks' | 'listWebhookEvents' | 'sendWebhookEvent' | 'updateWebhook'

function webhookOperations(call: Caller): Pick<Provider, WebhookOperation> {
  return {
    createWebhook: async (input, write) =>
      call({
        operation: 'createWebhook',
        method: 'POST',
        path: path`/webhooks`,
        body: webhookBody(input),
        write,
        read: readWebhook,
      }),
    listWebhooks: async () =>
      call({
        operation: 'listWebhooks',
        method: 'GET',
        path: path`/webhooks`,
        read: (body) => readList(body).map(readWebhook),
      }),
    listWebhookEvents: async (page) =>
      call({
        operation: 'listWebhookEvents',
        method: 'GET',
        path: path`/webhook_events`,
        query: pageQuery(page),
        read: readEventList,
      }),
    sendWebhookEvent: async (id, eventId, write) =>
      call({
        operation: 'sendWebhookEvent',
        method: 'POST',
        path: path`/webhooks/${id}/send`,
        body: { event_id: eventId },
        write,
        read: () => undefined,
      }),
    updateWebhook: async (id, change) =>
      call({
        operation: 'updateWebhook',
        method: 'PUT',
        path: path`/webhooks/${id}`,
        body: webhookChangeBody(change),
        read: readWebhook,
      }),
  }
}

function pageQuery(page: PageQuery = {}): Record<string, string | number | undefined> {
  return { limit: page.limit, starting_after: page.startingAfter }
}
