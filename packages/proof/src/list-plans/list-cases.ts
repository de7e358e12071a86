// Every operation that reads, with each of its filters: what fits many rows, what fits few, and what fits none. And how many
// rows a page may read: as many as it has, where an index serves the filter.
// Above the usual length: each filter of an operation has a line, and all operations stand in one list.

import { encodeCursor } from '../../../server/src/platform/http/schema/paging.ts'
import {
  accountOf,
  type Businesses,
  dayOf,
  deliveryOf,
  depositOf,
  endpointOf,
  endUserOf,
  eventOf,
  informationRequestOf,
  replayOf,
  requestOf,
} from './rows/ids.ts'

export type ListCase = {
  /** The operation of openapi.json, or of the command line. */
  operation: string
  /** Whose key asks; `shell` is the command line, whose options stand as a query. */
  caller: 'large' | 'small' | 'operator' | 'shell'
  path: string
  /** No step of a plan may read more. */
  rowsMax: number
  asCsv?: true
}

/** A page of 20 with what belongs to its rows, the keys of a business, or an endpoint's backlog of a chart. */
const pageRows = 200
/** Where no index serves the whole filter a page looks through so many rows, and the next one of each week. */
const lookedThrough = 50_020
/** The same of refused requests, which lie scattered. */
const refusedLookedThrough = 10_020
/** The same of labels, whose objects are looked up. */
const labelsLookedThrough = 10_020
/** The same of what one actor did, for acts of one kind. */
const auditLookedThrough = 10_020
/** The same of deliveries and their events. */
const deliveriesLookedThrough = 2_020
/** Deliveries before one that waits are counted up to this number. */
const aheadCounted = 1_001
/** What waits is counted up to 100,000. */
const workCounted = 100_020
/** The counts of a business by hour, state and step; a backlog is counted up to 10,000. */
const countsRead = 50_020

/** Operations that read no list of ours: what the provider answers, and what stands in the configuration. */
export const notListed = [
  'getKycLinks',
  'getKycRequirements',
  'getCapabilities',
  'getSandboxClock',
  'listSandboxFaults',
  'getStorageStatus',
  'getHeldEvent',
  'listSandboxInboxes',
]

export const parts = ['objects', 'history'] as const
/** `objects`: end-users, accounts, deposits. `history`: events, deliveries, the log of requests. */
export type Part = (typeof parts)[number]

const ofHistory = [
  'listEvents',
  'getEvent',
  'explainEvent',
  'listDeliveries',
  'listDeliveriesOfEvent',
  'getDelivery',
  'listRequests',
]

/** Statistics are read of both. */
export const isOfPart = ({ operation }: ListCase, part: Part): boolean =>
  operation === 'getStats' || ofHistory.includes(operation) === (part === 'history')

export function listCases(businesses: Businesses, rows: number): ListCase[] {
  const some = rows - (rows % 10) - 9 // of the large business
  return [
    ...endUserCases(some),
    ...accountCases(some),
    ...depositCases(some),
    ...informationRequestCases(some),
    ...reportCases(rows),
    ...eventCases(some, rows),
    ...deliveryCases(endpointOf(businesses.large)),
    ...requestCases(some, rows),
    ...settingCases(businesses),
    ...operatorCases(businesses),
    ...deepCases(some, rows),
    ...read('listEndUsers', pageRows, ['/v0/end-users?kycStatus=rejected'], 'small'),
    ...read('listDeposits', pageRows, ['/v0/deposits?status=in_review'], 'small'),
  ]
}

function read(
  operation: string,
  rowsMax: number,
  paths: readonly string[],
  caller: ListCase['caller'] = 'large',
): ListCase[] {
  return paths.map((path) => ({ operation, caller, path, rowsMax }))
}

const asCsv = (cases: readonly ListCase[]): ListCase[] => cases.map((of) => ({ ...of, asCsv: true }))

const endUserCases = (some: number) => [
  ...read('listEndUsers', pageRows, [
    '/v0/end-users',
    '/v0/end-users?kycStatus=approved',
    '/v0/end-users?kycStatus=rejected',
    '/v0/end-users?kycStatus=paused',
    '/v0/end-users?kycStatus=offboarded',
    `/v0/end-users?externalUserId=user-${some}`,
    '/v0/end-users?metadata[plan]=gold',
    '/v0/end-users?metadata[nth]=50',
    '/v0/end-users?metadata[plan]=none',
    '/v0/end-users?q=user-99',
    '/v0/end-users?q=person-5000',
    '/v0/end-users?q=nobody',
    `/v0/end-users?createdBefore=${dayOf(20)}`,
    `/v0/end-users?createdAfter=${dayOf(20)}`,
    `/v0/end-users?kycStatus=rejected&createdBefore=${dayOf(20)}`,
  ]),
  ...read('listEndUsers', lookedThrough, [
    '/v0/end-users?type=business',
    '/v0/end-users?kycStatus=rejected&type=business',
    '/v0/end-users?q=user-&kycStatus=paused',
  ]),
  ...read('listEndUsers', labelsLookedThrough, ['/v0/end-users?metadata[plan]=gold&kycStatus=paused']),
  ...read('getEndUser', pageRows, [`/v0/end-users/user-${some}`]),
  ...read('listAllOnboardingLinks', pageRows, [
    '/v0/onboarding-links',
    `/v0/onboarding-links?createdAfter=${dayOf(20)}&createdBefore=${dayOf(15)}`,
  ]),
  ...read('listAllOnboardingLinks', lookedThrough, [
    '/v0/onboarding-links?status=open',
    '/v0/onboarding-links?apiKeyId=key_00000000000000000000000000',
  ]),
  ...read('listOnboardingLinks', pageRows, [`/v0/end-users/user-${some}/onboarding-links`]),
]

const accountCases = (some: number) => [
  ...read('listVirtualAccounts', pageRows, [
    '/v0/virtual-accounts',
    '/v0/virtual-accounts?status=active',
    '/v0/virtual-accounts?status=deactivated',
    '/v0/virtual-accounts?status=failed',
    '/v0/virtual-accounts?status=pending',
    '/v0/virtual-accounts?sourceCurrency=usd',
    '/v0/virtual-accounts?sourceCurrency=eur',
    '/v0/virtual-accounts?status=failed&sourceCurrency=eur',
    '/v0/virtual-accounts?destinationChange=waiting',
    '/v0/virtual-accounts?destinationChange=waiting&status=active&sourceCurrency=usd',
    `/v0/virtual-accounts?externalUserId=user-${some}`,
    `/v0/virtual-accounts?externalUserId=user-${some}&status=failed`,
    '/v0/virtual-accounts?externalUserId=nobody',
    '/v0/virtual-accounts?metadata[plan]=silver',
    '/v0/virtual-accounts?metadata[plan]=none',
    `/v0/virtual-accounts?createdBefore=${dayOf(20)}`,
    `/v0/virtual-accounts?createdAfter=${dayOf(20)}`,
  ]),
  ...read('listVirtualAccounts', lookedThrough, ['/v0/virtual-accounts?status=active&sourceCurrency=eur']),
  ...read('listVirtualAccounts', labelsLookedThrough, ['/v0/virtual-accounts?metadata[plan]=silver&status=failed']),
  ...read('getVirtualAccount', pageRows, [`/v0/virtual-accounts/${accountOf(some)}`]),
  ...read('getDepositInstructions', pageRows, [`/v0/virtual-accounts/${accountOf(some)}/deposit-instructions`]),
  ...read('listDepositsOfVirtualAccount', pageRows, [
    `/v0/virtual-accounts/${accountOf(some)}/deposits`,
    `/v0/virtual-accounts/${accountOf(some)}/deposits?status=in_review`,
    `/v0/virtual-accounts/${accountOf(some)}/deposits?createdBefore=${dayOf(20)}`,
    `/v0/virtual-accounts/${accountOf(some)}/deposits?createdAfter=${dayOf(20)}`,
  ]),
]

const depositCases = (some: number) => [
  ...read('listDeposits', pageRows, [
    '/v0/deposits',
    '/v0/deposits?status=completed',
    '/v0/deposits?status=in_review',
    '/v0/deposits?status=refunded',
    '/v0/deposits?sourceCurrency=usd',
    '/v0/deposits?sourceCurrency=eur',
    `/v0/deposits?externalUserId=user-${some}`,
    '/v0/deposits?externalUserId=nobody',
    `/v0/deposits?externalUserId=user-${some}&status=refunded`,
    `/v0/deposits?virtualAccountId=${accountOf(some)}`,
    `/v0/deposits?virtualAccountId=${accountOf(some)}&status=refunded`,
    '/v0/deposits?virtualAccountId=none',
    `/v0/deposits?providerDepositId=upstream-${some}`,
    '/v0/deposits?providerDepositId=none',
    `/v0/deposits?q=hash-${depositOf(some).slice(4)}`,
    '/v0/deposits?q=none',
    `/v0/deposits?createdBefore=${dayOf(20)}`,
    `/v0/deposits?createdAfter=${dayOf(20)}`,
    `/v0/deposits?status=completed&createdBefore=${dayOf(20)}`,
  ]),
  ...read('listDeposits', lookedThrough, ['/v0/deposits?status=completed&sourceCurrency=eur']),
  ...asCsv(read('listDeposits', pageRows, ['/v0/deposits?limit=100'])),
  ...read('getDeposit', pageRows, [`/v0/deposits/${depositOf(some)}`]),
]

const informationRequestCases = (some: number) => [
  ...read('listInformationRequests', pageRows, [
    '/v0/information-requests',
    '/v0/information-requests?state=closed',
    '/v0/information-requests?state=action_required',
    `/v0/information-requests?externalUserId=user-${some}`,
    `/v0/information-requests?externalUserId=user-${some}&state=closed`,
    `/v0/information-requests?createdAfter=${dayOf(20)}&createdBefore=${dayOf(15)}`,
  ]),
  ...read('getInformationRequest', pageRows, [`/v0/information-requests/${informationRequestOf(some)}`]),
]

/** The sums of a day read each deposit that was completed on it: a thirtieth of all. */
function reportCases(rows: number): ListCase[] {
  const day = dayOf(15).slice(0, 10)
  const whole = `/v0/reports/deposits?day=${day}`
  return [
    ...read('listCompletedDeposits', pageRows, [whole, '/v0/reports/deposits?day=2000-01-01']),
    ...asCsv(read('listCompletedDeposits', pageRows, [`${whole}&limit=100`])),
    ...read('sumCompletedDeposits', Math.max(pageRows, Math.ceil(rows / 30)), [`/v0/reports/deposits/sums?day=${day}`]),
    ...read('sumCompletedDeposits', pageRows, ['/v0/reports/deposits/sums?day=2000-01-01']),
  ]
}

const eventCases = (some: number, rows: number) => [
  ...read('listEvents', pageRows, [
    '/v0/events',
    '/v0/events?sources=provider',
    `/v0/events?providerEventId=wh_${some}`,
    '/v0/events?after=now',
    '/v0/events?wait=0',
  ]),
  ...read('listEvents', lookedThrough, [
    '/v0/events?eventType=usual.type',
    '/v0/events?eventType=rare.type',
    '/v0/events?eventType=none',
    '/v0/events?sources=causeway',
    `/v0/events?externalUserId=user-${some}`,
    '/v0/events?externalUserId=nobody',
    `/v0/events?virtualAccountId=${accountOf(some)}`,
    '/v0/events?virtualAccountId=none',
    `/v0/events?createdBefore=${dayOf(20)}`,
    `/v0/events?createdAfter=${dayOf(20)}`,
  ]),
  ...read('getEvent', pageRows, [`/v0/events/${eventOf(some, rows)}`]),
  ...read('listDeliveriesOfEvent', pageRows, [`/v0/events/${eventOf(some, rows)}/deliveries`]),
  ...read('getDelivery', pageRows, [`/v0/deliveries/${deliveryOf(some, rows)}`]),
  ...read(
    'explainEvent',
    aheadCounted,
    [2, 3, some + 1, some + 2].map((n) => `/v0/events/${eventOf(n, rows)}/explain`),
  ),
]

const deliveryCases = (endpoint: string) => [
  ...read('listDeliveries', deliveriesLookedThrough, [
    '/v0/deliveries',
    '/v0/deliveries?status=pending',
    '/v0/deliveries?status=failed',
    '/v0/deliveries?status=delivered',
    `/v0/deliveries?webhookEndpointId=${endpoint}`,
    `/v0/deliveries?status=pending&webhookEndpointId=${endpoint}`,
    `/v0/deliveries?status=failed&webhookEndpointId=${endpoint}`,
    '/v0/deliveries?status=retrying',
    `/v0/deliveries?status=retrying&webhookEndpointId=${endpoint}`,
    `/v0/deliveries?createdBefore=${dayOf(20)}`,
    `/v0/deliveries?status=failed&createdBefore=${dayOf(20)}`,
    `/v0/deliveries?status=failed&createdAfter=${dayOf(20)}`,
    '/v0/deliveries?eventType=rare.type',
    '/v0/deliveries?externalUserId=nobody',
  ]),
  ...read('listDeliveries', deliveriesLookedThrough, ['/v0/deliveries?status=failed&eventType=rare.type']),
]

const requestCases = (some: number, rows: number) => [
  ...read('listRequests', lookedThrough, [
    '/v0/requests',
    '/v0/requests?status=200',
    '/v0/requests?method=DELETE',
    '/v0/requests?path=/v0/whoami',
    '/v0/requests?keyId=key_none',
    '/v0/requests?by=key_none',
    `/v0/requests?createdBefore=${dayOf(20)}`,
    `/v0/requests?createdAfter=${dayOf(20)}`,
    `/v0/requests?createdAfter=${dayOf(20)}&createdBefore=${dayOf(19)}&method=DELETE`,
  ]),
  ...read('listRequests', refusedLookedThrough, [
    '/v0/requests?status=4xx',
    '/v0/requests?status=500',
    '/v0/requests?status=5xx&keyId=key_none',
  ]),
  ...read('listRequests', pageRows, [
    `/v0/requests?requestId=mine-${some - (some % 100) - 98}`,
    `/v0/requests?requestId=${requestOf(some, rows)}`,
    '/v0/requests?requestId=none',
  ]),
]

function settingCases({ large }: Businesses): ListCase[] {
  const endpoint = endpointOf(large)
  return [
    ...read('listWebhookEndpoints', pageRows, ['/v0/webhook-endpoints']),
    ...read('getWebhookUrl', pageRows, ['/v0/webhook-url']),
    ...read('getWebhookEndpoint', pageRows, [`/v0/webhook-endpoints/${endpoint}`]),
    ...read('listReplays', pageRows, [`/v0/webhook-endpoints/${endpoint}/replays`]),
    ...read('getReplay', pageRows, [`/v0/replays/${replayOf(endpoint, 50)}`]),
    ...read('listApiKeys', pageRows, ['/v0/api-keys']),
    ...read('listAuditLog', pageRows, [
      '/v0/audit-log',
      '/v0/audit-log?action=customer.renamed',
      '/v0/audit-log?actor=operator',
      '/v0/audit-log?actor=key_none',
      `/v0/audit-log?createdBefore=${dayOf(20)}`,
      `/v0/audit-log?action=console_session.opened&createdAfter=${dayOf(20)}`,
      `/v0/audit-log?actor=operator&createdBefore=${dayOf(20)}`,
    ]),
    ...read('listAuditLog', auditLookedThrough, ['/v0/audit-log?actor=operator&action=customer.renamed']),
    ...read('listConsoleLinks', pageRows, ['/v0/console-links']),
    ...read('getBranding', pageRows, ['/v0/branding']),
    ...read('whoAmI', pageRows, ['/v0/whoami']),
    ...read('getStats', countsRead, [
      '/v0/stats',
      `/v0/stats?from=${dayOf(29)}&to=${dayOf(0)}&interval=day`,
      `/v0/stats?from=${dayOf(15)}&to=${dayOf(0)}&interval=hour`,
    ]),
  ]
}

const operatorCases = ({ large }: Businesses) => [
  ...read('listCustomers', pageRows, ['/v0/customers', '/v0/customers?status=suspended'], 'operator'),
  ...read('listCustomers', lookedThrough, ['/v0/customers?q=business', '/v0/customers?q=nobody'], 'operator'),
  ...read('getCustomerStats', countsRead, [`/v0/customers/${large}/stats`], 'operator'),
  ...read(
    'getCustomerStats',
    countsRead,
    [`/v0/customers/${large}/stats?from=${dayOf(29)}&to=${dayOf(0)}&interval=day`],
    'operator',
  ),
  ...read(
    'listHeldEvents',
    pageRows,
    ['/v0/operator/events', '/v0/operator/events?state=waiting', '/v0/operator/events?state=quarantined'],
    'operator',
  ),
  ...read(
    'listAllInformationRequests',
    pageRows,
    [
      '/v0/operator/information-requests',
      '/v0/operator/information-requests?state=closed',
      `/v0/operator/information-requests?createdAfter=${dayOf(20)}&createdBefore=${dayOf(15)}`,
    ],
    'operator',
  ),
  ...read('getProviderStatus', workCounted, ['/v0/operator/provider'], 'operator'),
  ...read('getRelayStatus', workCounted, ['/v0/operator/relay'], 'operator'),
  ...read('getCustomer', pageRows, [`/v0/customers/${large}`], 'operator'),
  ...read('listCustomerApiKeys', pageRows, [`/v0/customers/${large}/api-keys`], 'operator'),
  ...read('audit list', pageRows, ['', `?customer=${large}`, `?since=${dayOf(10)}`], 'shell'),
  ...read('audit list', pageRows, ['?type=customer.renamed', `?customer=${large}&type=customer.renamed`], 'shell'),
]

/** Pages in the depth of a list: nine tenths of it are before them. */
function deepCases(some: number, rows: number): ListCase[] {
  const begun = dayOf(1)
  const old = Math.ceil(rows / 1_000) * 100 + 1 // of the large business; its delivery failed
  const behind = (id: string, at = dayOf(27)) => `cursor=${encodeCursor({ createdAt: new Date(at), id })}`
  const noon = `${dayOf(15).slice(0, 10)}T12:00:00.000Z`
  return [
    ...read('listEndUsers', pageRows, [
      `/v0/end-users?${behind('eu_')}`,
      `/v0/end-users?createdBefore=${begun}&${behind('eu_')}`,
      `/v0/end-users?kycStatus=approved&${behind('eu_')}`,
      `/v0/end-users?kycStatus=approved&createdBefore=${begun}&${behind('eu_')}`,
      `/v0/end-users?metadata[plan]=gold&createdBefore=${begun}&${behind('eu_')}`,
      `/v0/end-users?q=user-&${behind(endUserOf(some))}`,
    ]),
    ...read('listVirtualAccounts', pageRows, [
      `/v0/virtual-accounts?${behind('va_')}`,
      `/v0/virtual-accounts?status=active&createdBefore=${begun}&${behind('va_')}`,
    ]),
    ...read('listDeposits', pageRows, [
      `/v0/deposits?${behind('dep_')}`,
      `/v0/deposits?status=completed&createdBefore=${begun}&${behind('dep_')}`,
    ]),
    ...read('listCompletedDeposits', pageRows, [
      `/v0/reports/deposits?day=${noon.slice(0, 10)}&${behind('dep_', noon)}`,
    ]),
    ...read('listEvents', pageRows, [`/v0/events?${behind(eventOf(old, rows))}`]),
    ...read('listDeliveries', pageRows, [
      `/v0/deliveries?${behind(deliveryOf(old, rows))}`,
      `/v0/deliveries?status=failed&${behind(deliveryOf(old, rows))}`,
    ]),
    ...read('listRequests', pageRows, [`/v0/requests?${behind(requestOf(old, rows))}`]),
  ]
}
