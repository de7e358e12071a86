// Every operation that reads, with each of its filters, from the declarations; and by hand what depends on the rows: filters
// together, and pages deep in a list. And how many rows a page may read: as many as it has, where an index serves the filter.

import { allOperations } from '../../../server/src/app/operations.ts'
import { isDescribed } from '../../../server/src/platform/http/operation.ts'
import { encodeCursor } from '../../../server/src/platform/http/schema/paging.ts'
import {
  aheadCounted,
  auditScannedMax,
  countsRead,
  deliveriesScannedMax,
  derivedCases,
  type ListCase,
  labelsScannedMax,
  pageRows,
  refusedScannedMax,
  rowsScannedMax,
} from './derived-cases.ts'
import { accountOf, type Businesses, dayOf, deliveryOf, endpointOf, endUserOf, eventOf, requestOf } from './rows/ids.ts'

/** Operations that read no list of the database: responses of the provider, and configuration. */
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
  'listRequestErrors',
  'listCustomerRequests',
  'listCustomerRequestErrors',
]

/** Statistics are read of both. */
export const isOfPart = ({ operation }: ListCase, part: Part): boolean =>
  operation === 'getStats' || ofHistory.includes(operation) === (part === 'history')

export function listCases(businesses: Businesses, rows: number): ListCase[] {
  const some = rows - (rows % 10) - 9 // of the large business
  const declared = allOperations.filter(
    (operation) => operation.kind !== 'write' && isDescribed(operation) && !notListed.includes(operation.id),
  )
  const derived = declared.flatMap((operation) => derivedCases(operation, businesses, some, rows))
  const byHand = [
    ...pairs(some),
    ...reportCases(rows),
    ...historyCases(some, rows, endpointOf(businesses.large)),
    ...countedCases(businesses),
    ...deepCases(some, rows),
    ...read('listEndUsers', pageRows, ['/v0/end-users?kycStatus=rejected'], 'small'),
    ...read('listDeposits', pageRows, ['/v0/deposits?status=in_review'], 'small'),
  ]
  const own = new Set(byHand.map(({ caller, path }) => `${caller} ${path}`))
  return [...derived.filter(({ caller, path }) => !own.has(`${caller} ${path}`)), ...byHand]
}

function read(
  operation: string,
  rowsMax: number,
  paths: readonly string[],
  caller: ListCase['caller'] = 'large',
): ListCase[] {
  return paths.map((path) => ({ operation, caller, path, rowsMax }))
}

/** Combined filters, and values that depend on the filled database: few rows, many, or scattered rows. */
const pairs = (some: number) => [
  ...read('listEndUsers', pageRows, [
    '/v0/end-users?metadata[nth]=50',
    `/v0/end-users?kycStatus=rejected&createdBefore=${dayOf(20)}`,
  ]),
  ...read('listEndUsers', rowsScannedMax, [
    '/v0/end-users?kycStatus=rejected&type=business',
    '/v0/end-users?q=user-&kycStatus=paused',
  ]),
  ...read('listEndUsers', labelsScannedMax, ['/v0/end-users?metadata[plan]=gold&kycStatus=paused']),
  ...read('listAllOnboardingLinks', pageRows, [
    `/v0/onboarding-links?createdAfter=${dayOf(20)}&createdBefore=${dayOf(15)}`,
  ]),
  ...read('listVirtualAccounts', pageRows, [
    '/v0/virtual-accounts?status=failed&sourceCurrency=eur',
    '/v0/virtual-accounts?destinationChange=waiting&status=active&sourceCurrency=usd',
    `/v0/virtual-accounts?externalUserId=user-${some}&status=failed`,
  ]),
  ...read('listVirtualAccounts', rowsScannedMax, ['/v0/virtual-accounts?status=active&sourceCurrency=eur']),
  ...read('listVirtualAccounts', labelsScannedMax, ['/v0/virtual-accounts?metadata[plan]=silver&status=failed']),
  ...read('listDeposits', pageRows, [
    `/v0/deposits?externalUserId=user-${some}&status=refunded`,
    `/v0/deposits?virtualAccountId=${accountOf(some)}&status=refunded`,
    `/v0/deposits?status=completed&createdBefore=${dayOf(20)}`,
  ]),
  ...read('listDeposits', rowsScannedMax, ['/v0/deposits?status=completed&sourceCurrency=eur']),
  ...read('listInformationRequests', pageRows, [
    `/v0/information-requests?externalUserId=user-${some}&state=closed`,
    `/v0/information-requests?createdAfter=${dayOf(20)}&createdBefore=${dayOf(15)}`,
  ]),
  ...read(
    'listAllInformationRequests',
    pageRows,
    [`/v0/operator/information-requests?createdAfter=${dayOf(20)}&createdBefore=${dayOf(15)}`],
    'operator',
  ),
  ...read('listAuditLog', pageRows, [
    `/v0/audit-log?action=console_session.opened&createdAfter=${dayOf(20)}`,
    `/v0/audit-log?actor=operator&createdBefore=${dayOf(20)}`,
  ]),
  ...read('listAuditLog', auditScannedMax, ['/v0/audit-log?actor=operator&action=customer.renamed']),
]

/** The sums of a day read each deposit that was completed on it: a thirtieth of all. */
function reportCases(rows: number): ListCase[] {
  const day = dayOf(15).slice(0, 10)
  return [
    ...read('listCompletedDeposits', pageRows, ['/v0/reports/deposits?day=2000-01-01']),
    ...read('sumCompletedDeposits', Math.max(pageRows, Math.ceil(rows / 30)), [`/v0/reports/deposits/sums?day=${day}`]),
    ...read('sumCompletedDeposits', pageRows, ['/v0/reports/deposits/sums?day=2000-01-01']),
  ]
}

const historyCases = (some: number, rows: number, endpoint: string) => [
  ...read('listEvents', pageRows, [
    '/v0/events?sources=provider',
    `/v0/events?providerEventId=wh_${some}`,
    '/v0/events?after=now',
    '/v0/events?wait=0',
  ]),
  ...read('listEvents', rowsScannedMax, [
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
  ...read(
    'explainEvent',
    aheadCounted,
    [2, 3, some + 1, some + 2].map((n) => `/v0/events/${eventOf(n, rows)}/explain`),
  ),
  ...read('listDeliveries', deliveriesScannedMax, [
    `/v0/deliveries?status=pending&webhookEndpointId=${endpoint}`,
    `/v0/deliveries?status=exhausted&webhookEndpointId=${endpoint}`,
    `/v0/deliveries?status=retrying&webhookEndpointId=${endpoint}`,
    `/v0/deliveries?status=exhausted&createdBefore=${dayOf(20)}`,
    `/v0/deliveries?status=exhausted&createdAfter=${dayOf(20)}`,
    '/v0/deliveries?status=exhausted&eventType=rare.type',
  ]),
  ...read('listRequests', rowsScannedMax, [
    `/v0/requests?createdAfter=${dayOf(20)}&createdBefore=${dayOf(19)}&method=DELETE`,
  ]),
  ...read('listRequests', refusedScannedMax, [
    '/v0/requests?status=4xx',
    '/v0/requests?status=500',
    '/v0/requests?status=5xx&credentialId=key_none',
  ]),
  ...read('listRequestErrors', refusedScannedMax, [
    '/v0/requests/errors?client=api',
    `/v0/requests/errors?createdAfter=${dayOf(20)}&createdBefore=${dayOf(19)}`,
  ]),
  ...read('listRequests', pageRows, [
    `/v0/requests?requestId=mine-${some - (some % 100) - 98}`,
    `/v0/requests?requestId=${requestOf(some, rows)}`,
    '/v0/requests?requestId=none',
  ]),
]

const countedCases = ({ large }: Businesses) => [
  ...read(
    'listCustomerRequestErrors',
    refusedScannedMax,
    [
      `/v0/customers/${large}/requests/errors?client=api`,
      `/v0/customers/${large}/requests/errors?createdAfter=${dayOf(20)}&createdBefore=${dayOf(19)}`,
    ],
    'operator',
  ),
  ...read('getStats', countsRead, [
    `/v0/stats?from=${dayOf(29)}&to=${dayOf(0)}&interval=day`,
    `/v0/stats?from=${dayOf(15)}&to=${dayOf(0)}&interval=hour`,
  ]),
  ...read(
    'getCustomerStats',
    countsRead,
    [`/v0/customers/${large}/stats?from=${dayOf(29)}&to=${dayOf(0)}&interval=day`],
    'operator',
  ),
  ...read('audit list', pageRows, ['', `?customer=${large}`, `?since=${dayOf(10)}`], 'shell'),
  ...read('audit list', pageRows, ['?type=customer.renamed', `?customer=${large}&type=customer.renamed`], 'shell'),
]

/** Pages in the depth of a list: nine tenths of it are before them. */
function deepCases(some: number, rows: number): ListCase[] {
  const begun = dayOf(1)
  const old = Math.ceil(rows / 1_000) * 100 + 1 // of the large business; its delivery failed
  const behind = (id: string, at = dayOf(27)) => `cursor=${encodeCursor({ at: new Date(at), id })}`
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
      `/v0/deliveries?status=exhausted&${behind(deliveryOf(old, rows))}`,
    ]),
    ...read('listRequests', pageRows, [`/v0/requests?${behind(requestOf(old, rows))}`]),
  ]
}
