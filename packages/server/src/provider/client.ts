// The provider's port spoken over its HTTP wire: for each operation the request and the reader of its answer.
// Keys, retries and meaning belong to the services.

import { type Body, type Call, type Caller, type CallerOptions, createCaller, path } from './caller.ts'
import type { PageQuery, Provider, Write } from './port.ts'
import type { VirtualAccountInput } from './types.ts'
import { readActivity } from './wire/activity.ts'
import { associatedPersonBody, customerBody, readAssociatedPerson } from './wire/associated-person.ts'
import { readCustomer, readCustomersOfEmail } from './wire/customer.ts'
import { readEvent } from './wire/event.ts'
import { readEventList } from './wire/event-list.ts'
import { readList, readUrl } from './wire/fields.ts'
import { readKycLink } from './wire/kyc-link.ts'
import { readVirtualAccount } from './wire/virtual-account.ts'
import { readWebhook } from './wire/webhook.ts'

/** `customerTimeoutMs`: of the call that creates a customer; as the others when not given. */
export type ProviderClientOptions = CallerOptions & { customerTimeoutMs?: number }

/** Makes the port over HTTP. @param options `baseUrl` ends in `/v0` */
export function createProviderClient(options: ProviderClientOptions): Provider {
  const { call, close } = createCaller(options)
  const methods = methodsOf(call)
  // Their operations are async, so that an id which `path` refuses rejects the promise.
  return {
    ...customerOperations(methods, options.customerTimeoutMs),
    ...kycOperations(methods),
    ...virtualAccountOperations(methods),
    ...webhookOperations(methods),
    readEvent,
    close,
  }
}

type Read<T> = Call<T>['read']
type Name = keyof Provider
type Rest = Pick<Call<unknown>, 'body' | 'isRepeatedWhenCut' | 'timeoutMs'>

/** The call by its method: a GET may have a query, a PUT a body, a POST its key and what it sends. */
function methodsOf(call: Caller['call']) {
  return {
    get: <T>(operation: Name, at: string, read: Read<T>, query: Call<T>['query'] = {}) =>
      call({ operation, method: 'GET', path: at, query, read }),
    put: <T>(operation: Name, at: string, body: Body, read: Read<T>) =>
      call({ operation, method: 'PUT', path: at, body, read }),
    post: <T>(operation: Name, at: string, write: Write, read: Read<T>, rest?: Rest) =>
      call({ operation, method: 'POST', path: at, write, read, ...rest }),
    delete: (operation: Name, at: string) => call({ operation, method: 'DELETE', path: at, read: nothing }),
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
    createCustomer: async (customer, write) =>
      post('createCustomer', path`/customers`, write, readCustomer, {
        body: customerBody(customer),
        timeoutMs,
        // The papers in it are not stored, so nobody but this call could repeat it.
        isRepeatedWhenCut: true,
      }),
    updateCustomer: async (id, change) =>
      put('updateCustomer', path`/customers/${id}`, customerBody(change), readCustomer),
    getCustomer: async (id) => get('getCustomer', path`/customers/${id}`, readCustomer),
    findCustomersByEmail: async (email) =>
      get('findCustomersByEmail', path`/customers`, (body) => readCustomersOfEmail(body, email), {
        email,
        limit: customersMax,
      }),
    simulateKycApproval: async (id, write) =>
      post('simulateKycApproval', path`/customers/${id}/simulate_kyc_approval`, write, nothing),
    deleteCustomer: async (id) => remove('deleteCustomer', path`/customers/${id}`),
    listAssociatedPersons: async (id) =>
      get('listAssociatedPersons', path`/customers/${id}/associated_persons`, listOf(readAssociatedPerson)),
    createAssociatedPerson: async (id, person, write) =>
      post('createAssociatedPerson', path`/customers/${id}/associated_persons`, write, readAssociatedPerson, {
        body: associatedPersonBody(person),
      }),
    updateAssociatedPerson: async (id, personId, person) =>
      put(
        'updateAssociatedPerson',
        path`/customers/${id}/associated_persons/${personId}`,
        associatedPersonBody(person),
        readAssociatedPerson,
      ),
  } satisfies Partial<Provider>
}

/** The other endorsements have no page of their own at the provider: the plain page asks for whatever is missing. */
const linkEndorsements: ReadonlySet<string> = new Set(['sepa', 'spei', 'cards'])

function kycOperations({ get, post }: Methods) {
  return {
    createTosLink: async (write) => post('createTosLink', path`/customers/tos_links`, write, readUrl),
    getTosAcceptanceLink: async (id) =>
      get('getTosAcceptanceLink', path`/customers/${id}/tos_acceptance_link`, readUrl),
    createKycLink: async ({ email, type, fullName, endorsements, redirectUri }, write) =>
      post('createKycLink', path`/kyc_links`, write, readKycLink, {
        body: { email, type, full_name: fullName, endorsements, redirect_uri: redirectUri },
      }),
    getKycLink: async (id) => get('getKycLink', path`/kyc_links/${id}`, readKycLink),
    getCustomerKycLink: async (id, { endorsement, redirectUri } = {}) =>
      get('getCustomerKycLink', path`/customers/${id}/kyc_link`, readUrl, {
        endorsement: endorsement && linkEndorsements.has(endorsement) ? endorsement : undefined,
        redirect_uri: redirectUri,
      }),
  } satisfies Partial<Provider>
}

function virtualAccountOperations({ get, put, post }: Methods) {
  const accounts = (customerId: string) => path`/customers/${customerId}/virtual_accounts`
  const account = (customerId: string, id: string) => path`/customers/${customerId}/virtual_accounts/${id}`
  const read = readVirtualAccount
  return {
    createVirtualAccount: async (customerId, input, write) =>
      post('createVirtualAccount', accounts(customerId), write, read, { body: accountBody(input) }),
    listVirtualAccounts: async (customerId, page) =>
      get('listVirtualAccounts', accounts(customerId), listOf(read), pageQuery(page)),
    getVirtualAccount: async (customerId, id) => get('getVirtualAccount', account(customerId, id), read),
    updateVirtualAccount: async (customerId, id, change) =>
      put('updateVirtualAccount', account(customerId, id), accountBody(change), read),
    deactivateVirtualAccount: async (customerId, id, write) =>
      post('deactivateVirtualAccount', `${account(customerId, id)}/deactivate`, write, read),
    reactivateVirtualAccount: async (customerId, id, write) =>
      post('reactivateVirtualAccount', `${account(customerId, id)}/reactivate`, write, read),
    listActivity: async (customerId, id, page) =>
      get('listActivity', `${account(customerId, id)}/history`, readActivities, pageQuery(page)),
    listAllActivity: async (page) =>
      get('listAllActivity', path`/virtual_accounts/history`, readActivities, pageQuery(page)),
  } satisfies Partial<Provider>
}

function accountBody(account: Partial<VirtualAccountInput>): Body {
  const { sourceCurrency, destination: to, developerFeePercent, travelRuleData } = account
  return {
    source: sourceCurrency === undefined ? undefined : { currency: sourceCurrency },
    destination: to && {
      currency: to.currency,
      payment_rail: to.paymentRail,
      address: to.address,
      blockchain_memo: to.memo,
    },
    developer_fee_percent: developerFeePercent,
    travel_rule_data: travelRuleData,
  }
}

const readActivities = (body: unknown, answeredAt: string | null) =>
  readList(body).map((step) => readActivity(step, answeredAt))

function webhookOperations({ get, put, post }: Methods) {
  return {
    createWebhook: async ({ url, eventEpoch, eventCategories }, write) =>
      post('createWebhook', path`/webhooks`, write, readWebhook, {
        body: { url, event_epoch: eventEpoch, event_categories: eventCategories },
      }),
    listWebhooks: async () => get('listWebhooks', path`/webhooks`, listOf(readWebhook)),
    listWebhookEvents: async (page) => get('listWebhookEvents', path`/webhook_events`, readEventList, pageQuery(page)),
    sendWebhookEvent: async (id, eventId, write) =>
      post('sendWebhookEvent', path`/webhooks/${id}/send`, write, nothing, { body: { event_id: eventId } }),
    updateWebhook: async (id, { url, status, eventCategories }) =>
      put('updateWebhook', path`/webhooks/${id}`, { url, status, event_categories: eventCategories }, readWebhook),
  } satisfies Partial<Provider>
}

function pageQuery(page: PageQuery = {}): Call<unknown>['query'] & object {
  return { limit: page.limit, starting_after: page.startingAfter }
}
