// The cases of a read, from its declaration: the plain page, each filter with each value that it can have, the filters that no
// index serves together, and CSV.

import type { Operation } from '../../../server/src/platform/http/operation.ts'
import { type ExampleName, nounsOf } from '../../../server/src/platform/http/operation.ts'
import {
  accountOf,
  type Businesses,
  dayOf,
  deliveryOf,
  depositOf,
  endpointOf,
  eventOf,
  informationRequestOf,
  replayOf,
} from './rows/ids.ts'

export type ListCase = {
  /** The operation of openapi.json, or of the command line. */
  operation: string
  /** The API key that sends the request. `shell`: the command line, with its options as a query. */
  caller: 'large' | 'small' | 'operator' | 'shell'
  path: string
  /** No step of a plan may read more. */
  rowsMax: number
  asCsv?: true
}

/** A page of 20 with what belongs to its rows, the keys of a business, or an endpoint's backlog of a chart. */
export const pageRows = 200
/** Deliveries before one that waits are counted up to this number. */
export const aheadCounted = 1_001
/** A page of deliveries scans them and their events. */
export const deliveriesScannedMax = 2_020
/** The counts of a business by hour, state and step; a backlog is counted up to 10,000. */
export const countsRead = 50_020
/** Where no index serves the whole filter a page scans so many rows, and the next one of each week. */
export const rowsScannedMax = 50_020
/** A filter by `metadata` looks its objects up: so many rows at the most. */
export const labelsScannedMax = 10_020

/** Entries of the audit log by one actor, filtered by action: so many rows at the most. */
export const auditScannedMax = 10_020

/** Refused requests are scattered: a page that filters by their codes scans this many rows. */
export const refusedScannedMax = 10_020

/** The most rows that an operation may read in all its cases, if it needs more than a page of rows. */
const rowsMaxOf: Readonly<Record<string, number>> = {
  explainEvent: aheadCounted,
  listDeliveries: deliveriesScannedMax,
  listRequests: rowsScannedMax,
  listCustomerRequests: rowsScannedMax,
  listRequestErrors: refusedScannedMax,
  listCustomerRequestErrors: refusedScannedMax,
  getStats: countsRead,
  getCustomerStats: countsRead,
  /** Pending work is counted up to 100,000. */
  getProviderStatus: 100_020,
  getRelayStatus: 100_020,
}

/** Values that exist in the filled database, and values that do not. @param some the number of an object of the large business */
export function derivedCases(operation: Operation, businesses: Businesses, some: number, rows: number): ListCase[] {
  const { id, kind, csv, filters = {}, required = {}, unindexed = [] } = operation
  const [, path = ''] = operation.address.split(' ')
  const named = namesOf(businesses, some, rows)
  const nouns = nounsOf(path)
  const filled = path.replace(/:\w+/g, () => named[nouns.shift() as ExampleName] ?? '')
  const caller = operation.caller === 'operator' ? 'operator' : 'large'
  const values = valuesOf(operation, businesses, some)
  const asked = (name: string, nth = 0) => `${name}${values(name).at(nth)}`
  const always = Object.keys(required).map((name) => asked(name))
  const of = (query: readonly string[], rowsMax = rowsMaxOf[id] ?? pageRows): ListCase => {
    const search = [...always, ...query].join('&')
    return { operation: id, caller, path: search === '' ? filled : `${filled}?${search}`, rowsMax }
  }
  // A read that needs a query has its cases in `list-cases.ts`.
  const needed: unknown = operation.query && 'required' in operation.query ? operation.query.required : []
  if (kind !== 'list') return Array.isArray(needed) && needed.length > 0 ? [] : [of([])]
  const alone = new Set(unindexed.filter(({ length }) => length === 1).flat())
  return [
    of([]),
    ...Object.keys(filters).flatMap((name) =>
      values(name).map((value) => of([name + value], alone.has(name) ? boundOf(id, [name]) : undefined)),
    ),
    ...unindexed
      .filter(({ length }) => length > 1)
      .map((names) =>
        of(
          names.map((name) => asked(name, -1)),
          boundOf(id, names),
        ),
      ),
    ...(csv ? [{ ...of(['limit=100']), asCsv: true as const }] : []),
  ]
}

const boundOf = (id: string, names: readonly string[]): number =>
  id === 'listAuditLog' || id === 'listCustomerAuditLog'
    ? auditScannedMax
    : (rowsMaxOf[id] ?? (names.includes('metadata') ? labelsScannedMax : rowsScannedMax))

const namesOf = ({ large }: Businesses, some: number, rows: number): Partial<Record<ExampleName, string>> => ({
  externalUserId: `user-${some}`,
  account: accountOf(some),
  deposit: depositOf(some),
  informationRequest: informationRequestOf(some),
  event: eventOf(some, rows),
  delivery: deliveryOf(some, rows),
  webhookEndpoint: endpointOf(large),
  replay: replayOf(endpointOf(large), 50),
  customer: large,
  alertChannel: 'alc_none',
})

type Values = readonly string[]

/** The values of a filter, as in the query after its name: existing and missing ones. */
function valuesOf({ id, filters = {}, required = {} }: Operation, businesses: Businesses, some: number) {
  const known: Readonly<Record<string, Values>> = {
    externalUserId: [`=user-${some}`, '=nobody'],
    virtualAccountId: [`=${accountOf(some)}`, '=none'],
    webhookEndpointId: [`=${endpointOf(businesses.large)}`],
    providerDepositId: [`=upstream-${some}`, '=none'],
    createdBefore: [`=${dayOf(20)}`],
    createdAfter: [`=${dayOf(20)}`],
    day: [`=${dayOf(15).slice(0, 10)}`],
    sourceCurrency: ['=usd', '=eur'],
    metadata: ['[plan]=none', '[plan]=gold', '[plan]=silver'],
    eventType: ['=usual.type', '=none', '=rare.type'],
    createdBy: ['=key_00000000000000000000000000'],
    actor: ['=key_none', '=operator'],
    action: ['=console_session.opened', '=customer.renamed'],
    path: ['=/v0/whoami'],
    credentialId: ['=key_none'],
    channelId: ['=alc_none'],
    by: ['=key_none'],
    error: ['=holder_not_found', '=*'],
    status: ['=200'],
    method: ['=DELETE'],
    requestId: [`=mine-${some - (some % 100) - 98}`, '=none'],
  }
  const searched: Readonly<Record<string, Values>> = {
    listEndUsers: ['=user-99', '=person-5000', '=nobody'],
    listDeposits: [`=hash-${depositOf(some).slice(4)}`, '=none'],
    listCustomers: ['=business', '=nobody'],
  }
  return (name: string): Values => {
    if (name === 'q') return searched[id] ?? missing(id, name)
    const schema = { ...filters, ...required }[name] as { enum?: string[]; anyOf?: { const: string }[] } | undefined
    const literals = schema?.enum ?? schema?.anyOf?.map((one) => one.const)
    return literals?.map((value) => `=${value}`) ?? known[name] ?? missing(id, name)
  }
}

function missing(id: string, name: string): never {
  throw new Error(`say in valuesOf which values the filter ${name} of ${id} can have`)
}
