// Nobody gets a byte of another business, or identity data: marks, IDs of objects, and the provider's IDs of customers. Pure.

import { identityMark, namesIn } from './names.ts'
import type { Finding, Observed } from './observed.ts'

export function judgeForeign({ ledger, evidence: { businesses, provider } }: Observed): Finding[] {
  const ownerOf = new Map<unknown, number>()
  for (const { business, users, accounts, deposits, events } of businesses) {
    ownerOf.set(business.mark, business.index)
    for (const { id } of [...users, ...accounts, ...deposits, ...events]) ownerOf.set(id, business.index)
  }
  for (const customer of provider?.customers ?? []) {
    const owner = ownerOf.get(customer['client_reference_id'])
    if (owner !== undefined) ownerOf.set(customer['id'], owner)
  }
  const findings: Finding[] = []
  const look = (index: number, names: readonly string[], where: string): void => {
    for (const name of names) {
      const owner = ownerOf.get(name)
      if (owner !== undefined && owner !== index)
        findings.push({ kind: 'foreign', text: `business ${index} sees ${name} of business ${owner} in ${where}` })
      if (name === identityMark)
        findings.push({ kind: 'foreign', text: `business ${index} sees identity data in ${where}` })
    }
  }
  const ownerOfEndpoint = new Map<string, number>()
  for (const { business, users, accounts, deposits, events } of businesses) {
    for (const row of [...users, ...accounts, ...deposits, ...events])
      look(business.index, namesIn(JSON.stringify(row)), String(row['id']))
    for (const { name } of business.endpoints) ownerOfEndpoint.set(name, business.index)
  }
  for (const { endpoint, names, webhookId } of ledger.attempts) {
    const index = ownerOfEndpoint.get(endpoint)
    if (index !== undefined) look(index, names, `delivery ${webhookId} to ${endpoint}`)
  }
  return findings
}
