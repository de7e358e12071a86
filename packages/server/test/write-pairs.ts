// The table of write operations that meet on one object, as requests. Every write operation of openapi.json is in it, or is
// named with the reason why it meets nothing.

import { kycBody, solanaWallet } from './people.ts'
import { lastHour } from './replay.ts'
import { issuerUrl } from './sign-in/issuer-metadata.ts'

/** The objects that one pair of operations meets on. */
export type Objects = {
  externalUserId: string
  providerCustomerId: string
  account: string
  endpoint: string
  apiKey: string
  event: string
  delivery: string
  replay: string
  consoleLink: string
  staff: string
  onboardingLink: string
  customer: string
  alertChannel: string
}

export type Ask = { method: string; path: string; body?: unknown; as?: 'operator' | 'provider' }

/** @param n differs from request to request */
type Write = (objects: Objects, n: number) => Ask

const post = (path: string, body?: unknown): Ask => ({ method: 'POST', path, ...(body === undefined ? {} : { body }) })
const patch = (path: string, body: unknown): Ask => ({ method: 'PATCH', path, body })
const ofUser = (objects: Objects, rest: string): string => `/v0/end-users/${objects.externalUserId}${rest}`
const ofAccount = (objects: Objects, rest = ''): string => `/v0/virtual-accounts/${objects.account}${rest}`
const ofEndpoint = (objects: Objects, rest = ''): string => `/v0/webhook-endpoints/${objects.endpoint}${rest}`

const ofChannel = (objects: Objects, rest = ''): string => `/v0/alert-channels/${objects.alertChannel}${rest}`

const wallets = [solanaWallet.address, '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM']

/** On an approved end-user and its account. */
export const endUserWrites: Readonly<Record<string, Write>> = {
  createEndUser: ({ externalUserId }) => post('/v0/end-users', { externalUserId }),
  updateEndUser: (objects, n) => patch(ofUser(objects, ''), { metadata: { n: String(n) } }),
  deleteEndUser: (objects) => ({ method: 'DELETE', path: ofUser(objects, '') }),
  createTosLink: (objects) => post(ofUser(objects, '/tos-link'), {}),
  createOnboardingLink: (objects) => post(ofUser(objects, '/onboarding-links'), { rails: ['usd', 'cop'] }),
  revokeOnboardingLink: ({ onboardingLink }) => ({ method: 'DELETE', path: `/v0/onboarding-links/${onboardingLink}` }),
  submitKyc: (objects) =>
    post(ofUser(objects, '/submit-kyc'), kycBody('11111111-2222-4333-8444-555555555555', objects.externalUserId)),
  createVirtualAccount: ({ externalUserId }, n) =>
    post('/v0/virtual-accounts', {
      externalUserId,
      source: { currency: 'usd' },
      destination: solanaWallet,
      developer_fee_percent: `0.${n + 1}`,
      onPendingKyc: n % 2 === 0 ? 'reject' : 'wait',
    }),
  'updateVirtualAccount fee': (objects, n) => patch(ofAccount(objects), { developer_fee_percent: `0.${n + 1}` }),
  'updateVirtualAccount destination': (objects, n) =>
    patch(ofAccount(objects), { destination: { ...solanaWallet, address: wallets[n % 2] } }),
  deactivateVirtualAccount: (objects) => post(ofAccount(objects, '/deactivate')),
  reactivateVirtualAccount: (objects) => post(ofAccount(objects, '/reactivate')),
  simulateDeposit: ({ account }) => post('/v0/sandbox/deposits', { virtualAccountId: account, amount: '1.00' }),
  decideKyc: ({ externalUserId }, n) =>
    post('/v0/sandbox/kyc-decisions', { externalUserId, decision: n % 2 === 0 ? 'approve' : 'reject' }),
  'receiveProviderWebhook customer': ({ providerCustomerId }, n) => ({
    ...post('/v0/webhooks/provider', {
      event_id: `wh_${providerCustomerId}_${n}`,
      event_type: 'customer.updated',
      event_category: 'customer',
      event_object_id: providerCustomerId,
      event_object: { id: providerCustomerId },
    }),
    as: 'provider',
  }),
  resetSandbox: () => post('/v0/sandbox/reset'),
  /** It stores the provider's response. */
  getKycLinks: (objects) => ({ method: 'GET', path: ofUser(objects, '/kyc-links?currency=eur') }),
}

/** On an endpoint, its deliveries and replays, while events are stored for it. */
export const endpointWrites: Readonly<Record<string, Write>> = {
  createWebhookEndpoint: (_, n) => post('/v0/webhook-endpoints', { webhookUrl: `http://127.0.0.1:9/${n}` }),
  'updateWebhookEndpoint status': (objects, n) =>
    patch(ofEndpoint(objects), { status: n % 2 === 0 ? 'paused' : 'enabled' }),
  'updateWebhookEndpoint ordering': (objects, n) =>
    patch(ofEndpoint(objects), { ordering: n % 2 === 0 ? 'per_end_user' : 'best_effort' }),
  rotateWebhookSecret: (objects) => post(ofEndpoint(objects, '/rotate-secret'), {}),
  testWebhookEndpoint: (objects) => post(ofEndpoint(objects, '/test')),
  deleteWebhookEndpoint: (objects) => ({ method: 'DELETE', path: ofEndpoint(objects) }),
  setWebhookUrl: (_, n) => ({
    method: 'PUT',
    path: '/v0/webhook-url',
    body: { webhookUrl: `http://127.0.0.1:9/d${n}` },
  }),
  deleteWebhookUrl: () => ({ method: 'DELETE', path: '/v0/webhook-url' }),
  setCustomerWebhookUrl: ({ customer }, n) => ({
    method: 'PUT',
    path: `/v0/customers/${customer}/webhook-url`,
    body: { webhookUrl: `http://127.0.0.1:9/c${n}` },
    as: 'operator',
  }),
  startReplay: (objects) => post(ofEndpoint(objects, '/replay'), lastHour()),
  cancelReplay: ({ replay }) => post(`/v0/replays/${replay}/cancel`),
  replayEvent: ({ event }) => post(`/v0/events/${event}/replay`, {}),
  retryDelivery: ({ delivery }) => post(`/v0/deliveries/${delivery}/retry`),
  retryDeliveries: ({ endpoint }) => post('/v0/deliveries/retry', { filter: { webhookEndpointId: endpoint } }),
  'createEndUser of another': ({ endpoint }, n) => post('/v0/end-users', { externalUserId: `${endpoint}-${n}` }),
  'receiveProviderWebhook forwarded': ({ externalUserId, endpoint }, n) => ({
    ...post('/v0/webhooks/provider', {
      event_id: `wh_${endpoint}_${n}`,
      event_type: 'test.happened',
      external_user_id: externalUserId,
    }),
    as: 'provider',
  }),
}

const signIn = (n: number) => ({
  issuer: issuerUrl,
  clientId: `client-${n}`,
  roles: { claim: 'groups', values: { admins: 'admin' } },
})

/** On an API key, on a link that it has made, and on the business that has both. */
export const keyWrites: Readonly<Record<string, Write>> = {
  issueApiKey: () => post('/v0/api-keys', {}),
  rollApiKey: ({ apiKey }, n) => post(`/v0/api-keys/${apiKey}/roll`, { expiresInHours: n % 2 }),
  revokeApiKey: ({ apiKey }) => ({ method: 'DELETE', path: `/v0/api-keys/${apiKey}` }),
  setBranding: (_, n) => ({ method: 'PUT', path: '/v0/branding', body: { name: `Name ${n}` } }),
  setSignIn: (_, n) => ({ method: 'PUT', path: '/v0/sign-in', body: signIn(n) }),
  deleteSignIn: () => ({ method: 'DELETE', path: '/v0/sign-in' }),
  setCustomerSignIn: ({ customer }, n) => ({
    method: 'PUT',
    path: `/v0/customers/${customer}/sign-in`,
    body: signIn(n),
    as: 'operator',
  }),
  deleteCustomerSignIn: ({ customer }) => ({
    method: 'DELETE',
    path: `/v0/customers/${customer}/sign-in`,
    as: 'operator',
  }),
  createConsoleLink: () => post('/v0/console-links', { scopes: ['events:read'] }),
  revokeConsoleLink: ({ consoleLink }) => ({ method: 'DELETE', path: `/v0/console-links/${consoleLink}` }),
  signOutStaff: ({ staff }) => ({ method: 'DELETE', path: `/v0/staff/${staff}/sessions` }),
  issueCustomerApiKey: ({ customer }) => ({ ...post(`/v0/customers/${customer}/api-keys`, {}), as: 'operator' }),
  revokeCustomerApiKey: ({ customer, apiKey }) => ({
    method: 'DELETE',
    path: `/v0/customers/${customer}/api-keys/${apiKey}`,
    as: 'operator',
  }),
  updateCustomer: ({ customer }, n) => ({
    ...patch(`/v0/customers/${customer}`, { name: `Name ${n}` }),
    as: 'operator',
  }),
  createCustomer: (_, n) => ({ ...post('/v0/customers', { name: `Another ${n}` }), as: 'operator' }),
}

/** On an alert channel. */
export const channelWrites: Readonly<Record<string, Write>> = {
  createAlertChannel: (_, n) => post('/v0/alert-channels', { type: 'slack', url: `http://127.0.0.1:9/${n}` }),
  updateAlertChannel: (objects, n) => patch(ofChannel(objects), { name: `Name ${n}` }),
  testAlertChannel: (objects) => post(ofChannel(objects, '/test')),
  deleteAlertChannel: (objects) => ({ method: 'DELETE', path: ofChannel(objects) }),
}

/** Operations that share no row with another request. */
export const elsewhere: Readonly<Record<string, string>> = {
  advanceDeposit: 'it writes at the emulator; what follows comes as an event, like that of simulateDeposit',
  simulateInformationRequest: 'it writes at the emulator; what follows comes as an event',
  advanceInformationRequest: 'it writes at the emulator; what follows comes as an event',
  retryHeldEvent: 'it writes an event that no owner has, and no other request names',
  moveSandboxClock: 'it writes at the emulator',
  acceptTerms: 'it writes at the emulator; the link that it takes is that of createTosLink',
  addSandboxFault: 'it writes at the emulator',
  clearSandboxFaults: 'it writes at the emulator',
  configureSandboxInbox: 'it writes at the emulator',
  signOutOperatorStaff: 'it deletes sessions of the operator, as signOutStaff deletes those of a business',
  createOperatorAlertChannel: 'the same statements as createAlertChannel, on rows of the deployment',
  updateOperatorAlertChannel: 'the same statements as updateAlertChannel, on rows of the deployment',
  deleteOperatorAlertChannel: 'the same statements as deleteAlertChannel, on rows of the deployment',
  testOperatorAlertChannel: 'the same statements as testAlertChannel, on rows of the deployment',
}

/** These end their object, or reach a limit of the business: each of their pairs has separate objects. */
export const usesUp: ReadonlySet<string> = new Set([
  'deleteEndUser',
  'resetSandbox',
  'createWebhookEndpoint',
  'deleteWebhookEndpoint',
  'createAlertChannel',
  'deleteAlertChannel',
  'rollApiKey',
  'revokeApiKey',
  'revokeCustomerApiKey',
  'revokeConsoleLink',
  'revokeOnboardingLink',
])
