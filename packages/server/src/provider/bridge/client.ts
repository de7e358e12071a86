// The provider's operations in domain terms over its HTTP wire: the request of each, and the reader of its response.
// Keys, retries and meaning belong to the services.
// Above the usual length: one line for each operation of the wire.

import type { Turn } from '../../platform/http/scope.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import { type Body, type Call, type CallerOptions, createCaller, path, type Wire } from '../http/caller.ts'
import { readList, readUrl } from '../http/fields.ts'
import type { PageQuery, Write } from '../port.ts'
import { readActivity } from './wire/activity.ts'
import { associatedPersonBody, customerBody, readAssociatedPerson } from './wire/associated-person.ts'
import { readCustomer, readCustomersOfEmail, readKycLink } from './wire/customer.ts'
import { errorOfAnswer, isStateConflict } from './wire/errors.ts'
import { readEventList } from './wire/event-list.ts'
import { readInformationRequest, readInformationRequests } from './wire/information-request.ts'
import { readOccupations } from './wire/occupation.ts'
import type { KycLinkInput, VirtualAccountInput, WebhookChange, WebhookInput } from './wire/types.ts'
import { readVirtualAccount, readVirtualAccounts } from './wire/virtual-account.ts'
import { readWebhook } from './wire/webhook.ts'

/** `customerTimeoutMs`: for the call that creates a customer; default: as the others. */
export type ProviderClientOptions = CallerOptions & { apiKey: string; customerTimeoutMs?: number }

/** Every operation rejects only with a `ProviderError`. */
export type Provider = ReturnType<typeof operationsOver>

export type BridgeClient = Provider

export type ProviderClient = ReturnType<typeof createProviderClient>

/** Creates the operations over HTTP. @param options `baseUrl` ends in `/v0` */
export function createProviderClient(options: ProviderClientOptions) {
  const { call, close } = createCaller(wireOf(options.apiKey), options)
  const over = (each: Caller) => operationsOver(each, options.customerTimeoutMs)
  return {
    ...over(call),
    close,
    /** The same operations for one request, which holds no turn while a call is in progress. */
    during: (turn: Pick<Turn, 'pause' | 'resume'>) => over(givingWay(call, turn)),
  }
}

const wireOf = (apiKey: string): Wire => ({
  headersOf: (write) => ({ 'api-key': apiKey, ...(write && { 'idempotency-key': write.key }) }),
  errorOf: errorOfAnswer,
  isBusy: isStateConflict,
})

type Caller = ReturnType<typeof createCaller>['call']

/** The operations are async, so that an ID that `path` refuses rejects the promise. */
function operationsOver(call: Caller, customerTimeoutMs: number | undefined) {
  const methods = methodsOf(call)
  return {
    ...customerOperations(methods, customerTimeoutMs),
    ...kycOperations(methods),
    ...virtualAccountOperations(methods),
    ...webhookOperations(methods),
    ...informationRequestOperations(methods),
  }
}

function givingWay(call: Caller, turn: Pick<Turn, 'pause' | 'resume'>): Caller {
  let underWay = 0
  return (asked) => {
    underWay += 1
    turn.pause()
    return call(asked).finally(async () => {
      underWay -= 1
      if (underWay === 0) await turn.resume()
    })
  }
}

type Read<T> = Call<T>['read']
type Rest = Pick<Call<unknown>, 'body' | 'isRepeatedWhenCut' | 'timeoutMs'>

/** Calls by HTTP method: a GET may have a query, a PUT a body, a POST a key and a body. */
function methodsOf(call: Caller) {
  return {
    get: <T>(operation: string, at: string, read: Read<T>, query: Call<T>['query'] = {}) =>
      call({ operation, method: 'GET', path: at, query, read }),
    put: <T>(operation: string, at: string, body: Body, read: Read<T>) =>
      call({ operation, method: 'PUT', path: at, body, read }),
    post: <T>(operation: string, at: string, write: Write, read: Read<T>, rest?: Rest) =>
      call({ operation, method: 'POST', path: at, write, read, ...rest }),
    delete: (operation: string, at: string) => call({ operation, method: 'DELETE', path: at, read: nothing }),
  }
}

type Methods = ReturnType<typeof methodsOf>

const nothing = () => undefined
const listOf =
  <T>(read: (item: unknown) => T) =>
  (body: unknown) =>
    readList(body).map(read)

/** The provider's largest page of customers. */
const customersMax = 100

function customerOperations({ get, put, post, delete: remove }: Methods, timeoutMs: number | undefined) {
  return {
    createCustomer: async (customer: JsonObject, write: Write) =>
      post('createCustomer', path`/customers`, write, readCustomer, {
        body: customerBody(customer),
        timeoutMs,
        // The identity documents in it are not stored, so only this call can retry it.
        isRepeatedWhenCut: true,
      }),
    updateCustomer: async (id: string, change: JsonObject) =>
      put('updateCustomer', path`/customers/${id}`, customerBody(change), readCustomer),
    getCustomer: async (id: string) => get('getCustomer', path`/customers/${id}`, readCustomer),
    findCustomersByEmail: async (email: string) =>
      get('findCustomersByEmail', path`/customers`, (body) => readCustomersOfEmail(body, email), {
        email,
        limit: customersMax,
      }),
    /** Only in the provider's own sandbox: approves the customer with every requested endorsement. */
    simulateKycApproval: async (id: string, write: Write) =>
      post('simulateKycApproval', path`/customers/${id}/simulate_kyc_approval`, write, nothing),
    deleteCustomer: async (id: string) => remove('deleteCustomer', path`/customers/${id}`),
    listAssociatedPersons: async (id: string) =>
      get('listAssociatedPersons', path`/customers/${id}/associated_persons`, listOf(readAssociatedPerson)),
    createAssociatedPerson: async (id: string, person: JsonObject, write: Write) =>
      post('createAssociatedPerson', path`/customers/${id}/associated_persons`, write, readAssociatedPerson, {
        body: associatedPersonBody(person),
      }),
    updateAssociatedPerson: async (id: string, personId: string, person: JsonObject) =>
      put(
        'updateAssociatedPerson',
        path`/customers/${id}/associated_persons/${personId}`,
        associatedPersonBody(person),
        readAssociatedPerson,
      ),
  }
}

/** Other endorsements have no separate page at the provider: the plain page requests whatever is missing. */
const linkEndorsements: ReadonlySet<string> = new Set(['sepa', 'spei', 'cards'])

function kycOperations({ get, post }: Methods) {
  return {
    createTosLink: async (write: Write) => post('createTosLink', path`/customers/tos_links`, write, readUrl),
    getTosAcceptanceLink: async (id: string) =>
      get('getTosAcceptanceLink', path`/customers/${id}/tos_acceptance_link`, readUrl),
    createKycLink: async (
      { email, type, fullName, endorsements, redirectUri, developerAcceptedTos }: KycLinkInput,
      write: Write,
    ) =>
      post('createKycLink', path`/kyc_links`, write, readKycLink, {
        body: {
          email,
          type,
          full_name: fullName,
          endorsements,
          redirect_uri: redirectUri,
          developer_accepted_tos: developerAcceptedTos,
        },
      }),
    getKycLink: async (id: string) => get('getKycLink', path`/kyc_links/${id}`, readKycLink),
    getCustomerKycLink: async (id: string, page: { endorsement?: string; redirectUri?: string } = {}) =>
      get('getCustomerKycLink', path`/customers/${id}/kyc_link`, readUrl, {
        endorsement: page.endorsement && linkEndorsements.has(page.endorsement) ? page.endorsement : undefined,
        redirect_uri: page.redirectUri,
      }),
    listOccupations: async () => get('listOccupations', path`/lists/occupation_codes`, readOccupations),
  }
}

function virtualAccountOperations({ get, put, post }: Methods) {
  const accounts = (customerId: string) => path`/customers/${customerId}/virtual_accounts`
  const account = (customerId: string, id: string) => path`/customers/${customerId}/virtual_accounts/${id}`
  const read = readVirtualAccount
  return {
    createVirtualAccount: async (customerId: string, input: VirtualAccountInput, write: Write) =>
      post('createVirtualAccount', accounts(customerId), write, read, { body: accountBody(input) }),
    listVirtualAccounts: async (customerId: string, page?: PageQuery) =>
      get('listVirtualAccounts', accounts(customerId), readVirtualAccounts, pageQuery(page)),
    getVirtualAccount: async (customerId: string, id: string) =>
      get('getVirtualAccount', account(customerId, id), read),
    updateVirtualAccount: async (
      customerId: string,
      id: string,
      change: Partial<Omit<VirtualAccountInput, 'sourceCurrency' | 'travelRuleData'>>,
    ) => put('updateVirtualAccount', account(customerId, id), accountBody(change), read),
    deactivateVirtualAccount: async (customerId: string, id: string, write: Write) =>
      post('deactivateVirtualAccount', `${account(customerId, id)}/deactivate`, write, read),
    reactivateVirtualAccount: async (customerId: string, id: string, write: Write) =>
      post('reactivateVirtualAccount', `${account(customerId, id)}/reactivate`, write, read),
    listActivity: async (customerId: string, id: string, page?: PageQuery) =>
      get('listActivity', `${account(customerId, id)}/history`, readActivities, pageQuery(page)),
    /** Activities of all customers, newest first. */
    listAllActivity: async (page?: PageQuery) =>
      get('listAllActivity', path`/virtual_accounts/history`, readActivities, pageQuery(page)),
  }
}

function accountBody(account: Partial<VirtualAccountInput>): Body {
  const { sourceCurrency, destination: to, developerFeePercent, feeConfig, travelRuleData } = account
  return {
    source: sourceCurrency === undefined ? undefined : { currency: sourceCurrency },
    destination: to && {
      currency: to.currency,
      payment_rail: to.paymentRail,
      address: to.address,
      bridge_wallet_id: to.bridgeWalletId,
      prefunded_account_id: to.prefundedAccountId,
      blockchain_memo: to.memo,
    },
    developer_fee_percent: developerFeePercent,
    fee_config: feeConfig,
    travel_rule_data: travelRuleData,
  }
}

const readActivities = (body: unknown, answeredAt: string | null) =>
  readList(body).map((step) => readActivity(step, answeredAt))

function webhookOperations({ get, put, post }: Methods) {
  return {
    createWebhook: async ({ url, eventEpoch, eventCategories }: WebhookInput, write: Write) =>
      post('createWebhook', path`/webhooks`, write, readWebhook, {
        body: { url, event_epoch: eventEpoch, event_categories: eventCategories },
      }),
    listWebhooks: async () => get('listWebhooks', path`/webhooks`, listOf(readWebhook)),
    /** All events of the last 90 days, for any endpoint; at most 500 per page. */
    listWebhookEvents: async (page?: PageQuery) =>
      get('listWebhookEvents', path`/webhook_events`, readEventList, pageQuery(page)),
    /**
     * Resends one event, also to an endpoint that the provider has disabled after failures: success resumes its
     * deliveries.
     */
    sendWebhookEvent: async (id: string, eventId: string, write: Write) =>
      post('sendWebhookEvent', path`/webhooks/${id}/send`, write, nothing, { body: { event_id: eventId } }),
    updateWebhook: async (id: string, { url, status, eventCategories }: WebhookChange) =>
      put('updateWebhook', path`/webhooks/${id}`, { url, status, event_categories: eventCategories }, readWebhook),
  }
}

/** Beta at the provider, which may refuse both calls with 401, 403 or 404. */
function informationRequestOperations({ get }: Methods) {
  return {
    /** Requests that wait for us, of all customers, newest first; at most 100 per page. */
    listInformationRequestsOnUs: async (page: PageQuery) =>
      get('listInformationRequests', path`/rfis`, readInformationRequests, {
        state: 'on_developer',
        ...pageQuery(page),
      }),
    getInformationRequest: async (id: string) =>
      get('getInformationRequest', path`/rfis/${id}`, readInformationRequest),
  }
}

function pageQuery(page: PageQuery = {}): Call<unknown>['query'] & object {
  return { limit: page.limit, starting_after: page.startingAfter }
}
