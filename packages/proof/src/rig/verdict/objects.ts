// End-users and accounts: every acknowledged object exists unchanged, and the provider has one object for each. Pure.

import type { Acknowledged } from '../ledger.ts'
import { decimalOf } from './decimals.ts'
import { type Finding, member, type Observed, type Row } from './observed.ts'

type Account = Extract<Acknowledged, { kind: 'account' }>
type EndUser = Extract<Acknowledged, { kind: 'end-user' }>

export function judgeUsers({ ledger, evidence: { businesses, provider } }: Observed): Finding[] {
  const findings: Finding[] = []
  const acknowledged = ledger.acknowledged.filter((one) => one.kind === 'end-user')
  // Of several about one end-user the last counts.
  const promises = new Map<string, EndUser>(acknowledged.map((one) => [`${one.business} ${one.externalUserId}`, one]))
  const users = new Map<string, Row>(
    businesses.flatMap((one) =>
      one.users.map((user) => [`${one.business.index} ${user['externalUserId']}`, user] as const),
    ),
  )
  for (const [name, promise] of promises) {
    const at = businesses.find(({ business }) => business.index === promise.business)
    const found = users.get(name)
    const about = `end-user ${promise.externalUserId}`
    if (!at || !found) {
      findings.push({ kind: 'lost', text: `${about} was acknowledged and is not there` })
      continue
    }
    const { id, metadata, kycStatus } = found
    if (promise.id !== null && id !== promise.id)
      findings.push({ kind: 'lost', text: `${about} was acknowledged as ${promise.id} and is ${id}` })
    if (member(metadata, 'mark') !== at.business.mark)
      findings.push({ kind: 'broken', text: `${about} has the metadata ${JSON.stringify(metadata)}` })
    if (promise.isSubmitted && kycStatus !== 'approved')
      findings.push({ kind: 'lost', text: `${about} was submitted and is ${kycStatus}` })
  }
  for (const [reference, made] of Map.groupBy(provider?.customers ?? [], (one) => String(one['client_reference_id'])))
    if (made.length > 1)
      findings.push({
        kind: 'doubled',
        text: `end-user ${reference} has ${made.length} customers upstream: ${idsOf(made)}`,
      })
  return findings
}

export function judgeAccounts({ ledger, evidence: { businesses, provider } }: Observed): Finding[] {
  const findings: Finding[] = []
  const upstream = Map.groupBy(provider?.accounts ?? [], (made) => String(member(made['destination'], 'address')))
  const ours = Map.groupBy(
    businesses.flatMap(({ accounts }) => accounts),
    (account) => String(account['destinationAddress']),
  )
  const requests = ledger.acknowledged.filter((one) => one.kind === 'request for an account')
  for (const { address, externalUserId } of requests) {
    const [there, here] = [upstream.get(address) ?? [], ours.get(address) ?? []]
    const request = `the request for an account of ${externalUserId} (${address})`
    if (there.length > 1)
      findings.push({ kind: 'doubled', text: `${request} made ${there.length} accounts upstream: ${idsOf(there)}` })
    if (here.length > 1)
      findings.push({ kind: 'doubled', text: `${request} made ${here.length} accounts here: ${idsOf(here)}` })
    if (there.length > 0 && here.length === 0)
      findings.push({ kind: 'lost', text: `${request} made ${idsOf(there)} upstream and nothing here` })
  }
  const asked = new Set(requests.map(({ address }) => address))
  for (const address of upstream.keys())
    if (!asked.has(address))
      findings.push({ kind: 'broken', text: `nobody asked for the account of ${address} upstream` })
  const acknowledged = ledger.acknowledged.filter((one) => one.kind === 'account')
  for (const promise of new Map(acknowledged.map((one) => [one.id, one])).values()) {
    const at = businesses.find(({ business }) => business.index === promise.business)
    const account = at?.accounts.find(({ id }) => id === promise.id)
    if (account) findings.push(...judgeAccount(promise, account, provider && upstream.get(promise.address)?.[0]))
    else findings.push({ kind: 'lost', text: `account ${promise.id} was acknowledged and is not there` })
  }
  return findings
}

/** @param made null: the provider is silent */
function judgeAccount(promise: Account, account: Row, made: Row | undefined | null): Finding[] {
  const { status, developerFeePercent: fee, destinationAddress: address } = account
  const about = `account ${promise.id}`
  const lost: string[] = []
  const broken: string[] = []
  // An account that waited for KYC opens once its end-user is approved.
  const isAsTold =
    promise.status === 'pending' ? status === 'pending' || status === 'active' : status === promise.status
  if (!isAsTold) lost.push(`${about} was acknowledged as ${promise.status} and is ${status}`)
  if (fee !== promise.fee) lost.push(`${about} was acknowledged with a fee of ${promise.fee} and has ${fee}`)
  if (address !== promise.address) lost.push(`${about} was acknowledged for ${promise.address} and is for ${address}`)
  if (made !== null && (status === 'active' || status === 'deactivated')) {
    if (made === undefined) lost.push(`${about} is ${status}, and upstream there is none`)
    else broken.push(...differences(about, account, made))
  }
  return [
    ...lost.map((text): Finding => ({ kind: 'lost', text })),
    ...broken.map((text): Finding => ({ kind: 'broken', text })),
  ]
}

function differences(about: string, { status, developerFeePercent: fee }: Row, made: Row): string[] {
  const texts: string[] = []
  const theirs = made['status'] === 'deactivated' ? 'deactivated' : 'active'
  if (theirs !== status) texts.push(`${about} is ${status}, and ${made['id']} upstream is ${made['status']}`)
  if (decimalOf(made['developer_fee_percent']) !== decimalOf(fee))
    texts.push(`${about} has a fee of ${fee}, and ${made['id']} upstream one of ${made['developer_fee_percent']}`)
  return texts
}

function idsOf(rows: readonly Row[]): string {
  return rows.map(({ id }) => id).join(', ')
}
