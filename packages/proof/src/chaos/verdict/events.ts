// Events: all that the provider told is here and was delivered, all of ours was told once, numbers have no holes, and
// nobody got a byte of anybody else's. Pure.

import type { JsonObject } from '../../../../server/src/platform/values/json.ts'
import type { Ledger } from '../ledger.ts'
import type { BusinessEvidence, Delivery, Evidence } from './evidence.ts'
import { type Findings, groupBy } from './findings.ts'

const wireIdOf = (event: JsonObject): string => String(event['providerEventId'] ?? event['id'])

/** Each event of a customer of ours is with the customer's business, and with nobody else. */
export function judgeProviderEvents({ businesses, provider }: Evidence, findings: Findings): void {
  const ownerOfUser = new Map(
    businesses.flatMap(({ business, users }) => users.map((user) => [user['id'], business.index])),
  )
  const ownerOfCustomer = new Map(
    provider.customers.map((one) => [one['id'], ownerOfUser.get(one['client_reference_id'] as string)]),
  )
  const seen = businesses.map(({ events }) => new Set(events.map(wireIdOf)))
  for (const event of provider.events) {
    const about = event['event_object'] as JsonObject
    const owner = ownerOfCustomer.get(about['customer_id'] as string) ?? ownerOfCustomer.get(about['id'] as string)
    const told = `the provider's event ${event['event_id']} (${event['event_type']}, number ${event['event_sequence']})`
    if (owner === undefined)
      findings.broken.push(`${told} is about nobody we know: ${about['customer_id'] ?? about['id']}`)
    for (const [index, ids] of seen.entries()) {
      const isHere = ids.has(String(event['event_id']))
      if (index === owner && !isHere) findings.lost.push(`${told} is not with business ${index}`)
      if (index !== owner && isHere) findings.broken.push(`${told} of business ${owner} is with business ${index}`)
    }
  }
}

export function judgeDeliveries(evidence: BusinessEvidence, findings: Findings): void {
  const { business, events, deliveries } = evidence
  const byEvent = groupBy(deliveries, ({ eventId }) => eventId)
  const known = new Map(events.map((event) => [wireIdOf(event), event]))
  for (const [id, event] of known) {
    const taken = (byEvent.get(id) ?? []).filter((one) => one.answered && one.isVerified)
    if (taken.length === 0)
      findings.lost.push(
        `event ${event['id']} (${event['eventType']}) never reached the receiver of business ${business.index}`,
      )
    findings.duplicates += Math.max(0, taken.length - 1)
    const bodies = new Set((byEvent.get(id) ?? []).map(({ body }) => body))
    if (bodies.size > 1) findings.broken.push(`event ${event['id']} was delivered with ${bodies.size} different bodies`)
  }
  for (const one of deliveries) {
    if (!one.isVerified) findings.broken.push(`delivery ${one.webhookId} to business ${business.index} does not verify`)
    if (!known.has(one.eventId))
      findings.broken.push(`business ${business.index} was delivered ${one.eventId}, which it cannot read`)
  }
  judgeSequence(business.index, deliveries, findings)
}

function judgeSequence(business: number, deliveries: readonly Delivery[], findings: Findings): void {
  const bySequence = groupBy(deliveries, ({ sequence }) => String(sequence))
  const highest = Math.max(0, ...deliveries.map(({ sequence }) => sequence))
  for (let sequence = 1; sequence <= highest; sequence++) {
    const ids = new Set((bySequence.get(String(sequence)) ?? []).map(({ eventId }) => eventId))
    if (ids.size === 0) findings.broken.push(`business ${business} never saw svc-sequence ${sequence} of ${highest}`)
    if (ids.size > 1)
      findings.broken.push(`business ${business}: svc-sequence ${sequence} is borne by ${[...ids].join(' and ')}`)
  }
}

/** Checks that the pulled events are the stored ones: each once, in order, without a gap. */
export function judgePulled({ business, events }: BusinessEvidence, ledger: Ledger, findings: Findings): void {
  const pulled = ledger.pulled.get(business.index) ?? []
  for (const [at, { id, position }] of pulled.entries())
    if (position !== at + 1)
      findings.broken.push(`business ${business.index} pulled ${id} with position ${position} in place ${at + 1}`)
  const ids = new Set(pulled.map(({ id }) => id))
  for (const event of events)
    if (!ids.has(String(event['id'])))
      findings.lost.push(`event ${event['id']} (${event['eventType']}) was never pulled by business ${business.index}`)
}

/** What happened once was told once. */
export function judgeOwnEvents({ events, users, accounts, deposits }: BusinessEvidence, findings: Findings): void {
  const counts = groupBy(
    events.filter((event) => event['source'] === 'causeway'),
    (event) => `${event['eventType']} ${((event['payload'] as JsonObject)['data'] as JsonObject)['id']}`,
  )
  const expectOne = (type: string, objects: readonly JsonObject[]): void => {
    for (const { id } of objects) {
      const told = counts.get(`${type} ${id}`)?.length ?? 0
      if (told === 0) findings.lost.push(`${type} of ${id} was never told`)
      if (told > 1) findings.broken.push(`${type} of ${id} was told ${told} times`)
    }
  }
  expectOne('end_user.created', users)
  expectOne(
    'virtual_account.created',
    accounts.filter(({ status }) => status === 'active' || status === 'suspended' || status === 'deactivated'),
  )
  expectOne(
    'virtual_account.payment.received',
    deposits.filter(({ status }) => status === 'completed'),
  )
}

/** The marks planted in the data of a business, and the provider's ids of its customers. */
export function judgeForeignBytes({ businesses, provider }: Evidence, findings: Findings): void {
  const ownerOf = new Map<unknown, number>()
  for (const { business, users } of businesses) {
    ownerOf.set(business.mark, business.index)
    for (const user of users) ownerOf.set(user['id'], business.index)
  }
  for (const customer of provider.customers) {
    const owner = ownerOf.get(customer['client_reference_id'])
    if (owner !== undefined) ownerOf.set(customer['id'], owner)
  }
  for (const { business, users, accounts, deposits, events, deliveries } of businesses) {
    const look = (text: string, what: string): void => {
      for (const [word] of text.matchAll(
        /mark[0-9a-f]{16}|eu_[0-9A-Za-z]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      )) {
        const owner = ownerOf.get(word)
        if (owner !== undefined && owner !== business.index)
          findings.broken.push(`business ${business.index} sees ${word} of business ${owner} in ${what}`)
      }
      if (text.includes('ZqCanary'))
        findings.broken.push(`identity data is told to business ${business.index} in ${what}`)
    }
    for (const row of [...users, ...accounts, ...deposits, ...events]) look(JSON.stringify(row), `${row['id']}`)
    for (const { body, webhookId } of deliveries) look(body, `delivery ${webhookId}`)
  }
}
