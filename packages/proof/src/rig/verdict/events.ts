// Events: all events of the provider are stored, Causeway sent each own event once, and each was polled once and in order. Pure.

import { type Finding, member, type Observed, type Row, wireIdOf } from './observed.ts'

/** Each event of a customer, and each acknowledged event of the load, is with its business, and with no other. */
export function judgeProviderEvents({ ledger, evidence: { businesses, provider } }: Observed): Finding[] {
  const findings: Finding[] = []
  const ownerOfUser = new Map(
    businesses.flatMap(({ business, users }) => users.map((user) => [user['id'], business.index])),
  )
  const ownerOfCustomer = new Map(
    provider?.customers.map((one) => [one['id'], ownerOfUser.get(one['client_reference_id'])]),
  )
  const seen = businesses.map(({ business, events }) => [business.index, new Set(events.map(wireIdOf))] as const)
  const judge = (id: string, owner: number | undefined, about: string): void => {
    for (const [index, ids] of seen) {
      if (index === owner && !ids.has(id))
        findings.push({ kind: 'lost', text: `${about} is not with business ${index}` })
      if (index !== owner && ids.has(id))
        findings.push({ kind: 'foreign', text: `${about} of business ${owner} is with business ${index}` })
    }
  }
  for (const event of provider?.events ?? []) {
    const about = event['event_object'] as Row
    const owner = ownerOfCustomer.get(about['customer_id']) ?? ownerOfCustomer.get(about['id'])
    const told = `the provider's event ${event['event_id']} (${event['event_type']}, number ${event['event_sequence']})`
    if (owner === undefined) {
      const text = `${told} is about an unknown customer: ${about['customer_id'] ?? about['id']}`
      findings.push({ kind: 'broken', text })
    }
    judge(String(event['event_id']), owner, told)
  }
  for (const one of ledger.acknowledged)
    if (one.kind === 'event') judge(one.eventId, one.business, `the acknowledged event ${one.eventId}`)
  return findings
}

/** Checks that the pulled events are the stored ones: each once, in order, without a gap. */
export function judgePulled({ ledger, evidence }: Observed): Finding[] {
  const findings: Finding[] = []
  for (const [index, pulled] of ledger.pulled) {
    for (const [at, { id, position }] of pulled.entries())
      if (position !== at + 1) {
        const text = `business ${index} pulled ${id} with position ${position} in place ${at + 1}`
        findings.push({ kind: 'broken', text })
      }
    const ids = new Set(pulled.map(({ id }) => id))
    const events = evidence.businesses.find(({ business }) => business.index === index)?.events ?? []
    for (const { id, eventType } of events)
      if (!ids.has(String(id)))
        findings.push({ kind: 'lost', text: `event ${id} (${eventType}) was never pulled by business ${index}` })
  }
  return findings
}

/** Each change has exactly one event. */
export function judgeOwnEvents({ evidence }: Observed): Finding[] {
  return evidence.businesses.flatMap(({ events, users, accounts, deposits }) => {
    const told = Map.groupBy(
      events.filter(({ source }) => source === 'causeway'),
      (event) => `${event['eventType']} ${member(member(event['payload'], 'data'), 'id')}`,
    )
    const expectOne = (type: string, objects: readonly Row[]): Finding[] =>
      objects.flatMap(({ id }): Finding[] => {
        const times = told.get(`${type} ${id}`)?.length ?? 0
        if (times === 1) return []
        if (times === 0) return [{ kind: 'lost', text: `${type} of ${id} was never told` }]
        return [{ kind: 'doubled', text: `${type} of ${id} was told ${times} times` }]
      })
    const opened = accounts.filter(({ status }) => /^(active|suspended|deactivated)$/.test(String(status)))
    const completed = deposits.filter(({ status }) => status === 'completed')
    return [
      ...expectOne('end_user.created', users),
      ...expectOne('virtual_account.created', opened),
      ...expectOne('virtual_account.payment.received', completed),
    ]
  })
}
