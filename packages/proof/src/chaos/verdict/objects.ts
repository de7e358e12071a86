// End-users and accounts: everything acknowledged is there as it was told, and the provider has one object for each. Pure.

import type { JsonObject } from '../../../../server/src/platform/values/json.ts'
import type { AccountPromise, Ledger } from '../ledger.ts'
import { decimalOf } from './decimals.ts'
import type { Evidence } from './evidence.ts'
import { type Findings, groupBy } from './findings.ts'

export function judgeUsers({ businesses, provider }: Evidence, ledger: Ledger, findings: Findings): void {
  for (const promise of ledger.users) {
    const at = businesses[promise.business]
    const found = at?.users.find((user) => user['externalUserId'] === promise.externalUserId)
    if (!at || !found) {
      findings.lost.push(`end-user ${promise.externalUserId} was acknowledged and is not there`)
      continue
    }
    const { id, metadata, kycStatus } = found
    if (promise.id !== null && id !== promise.id)
      findings.lost.push(`end-user ${promise.externalUserId} was acknowledged as ${promise.id} and is ${id}`)
    if ((metadata as JsonObject)['mark'] !== at.business.mark)
      findings.broken.push(`end-user ${promise.externalUserId} has the metadata ${JSON.stringify(metadata)}`)
    if (promise.isSubmitted && kycStatus !== 'approved')
      findings.lost.push(`end-user ${promise.externalUserId} was submitted and is ${kycStatus}`)
  }
  for (const [reference, made] of groupBy(provider.customers, (one) => String(one['client_reference_id'])))
    if (made.length > 1)
      findings.doubled.push(
        `end-user ${reference} has ${made.length} customers upstream: ${made.map(({ id }) => id).join(', ')}`,
      )
}

export function judgeAccounts({ businesses, provider }: Evidence, ledger: Ledger, findings: Findings): void {
  const upstream = groupBy(provider.accounts, (made) => String((made['destination'] as JsonObject)['address']))
  const ours = groupBy(
    businesses.flatMap(({ accounts }) => accounts),
    (account) => String(account['destinationAddress']),
  )
  for (const [address, { externalUserId }] of ledger.asked) {
    const [there, here] = [upstream.get(address) ?? [], ours.get(address) ?? []]
    const request = `the request for an account of ${externalUserId} (${address})`
    if (there.length > 1)
      findings.doubled.push(
        `${request} made ${there.length} accounts upstream: ${there.map(({ id }) => id).join(', ')}`,
      )
    if (here.length > 1)
      findings.doubled.push(`${request} made ${here.length} accounts here: ${here.map(({ id }) => id).join(', ')}`)
    if (there.length > 0 && here.length === 0)
      findings.lost.push(`${request} made ${there[0]?.['id']} upstream and nothing here`)
  }
  for (const address of upstream.keys())
    if (!ledger.asked.has(address)) findings.broken.push(`nobody asked for the account of ${address} upstream`)
  for (const promise of ledger.accounts) {
    const account = businesses[promise.business]?.accounts.find(({ id }) => id === promise.id)
    if (!account) findings.lost.push(`account ${promise.id} was acknowledged and is not there`)
    else judgeAccount(promise, account, upstream.get(promise.address)?.[0], findings)
  }
}

function judgeAccount(
  promise: AccountPromise,
  account: JsonObject,
  made: JsonObject | undefined,
  findings: Findings,
): void {
  const { status, developerFeePercent: fee, destinationAddress: address } = account
  // One that waited for KYC went on by itself, if its end-user got that far.
  const isAsTold =
    promise.status === 'pending' ? status === 'pending' || status === 'active' : status === promise.status
  if (!isAsTold) findings.lost.push(`account ${promise.id} was acknowledged as ${promise.status} and is ${status}`)
  if (fee !== promise.fee)
    findings.lost.push(`account ${promise.id} was acknowledged with a fee of ${promise.fee} and has ${fee}`)
  if (address !== promise.address)
    findings.lost.push(`account ${promise.id} was acknowledged for ${promise.address} and is for ${address}`)
  if (status !== 'active' && status !== 'deactivated') return
  if (!made) {
    findings.lost.push(`account ${promise.id} is ${status}, and upstream there is none`)
    return
  }
  const theirs = made['status'] === 'deactivated' ? 'deactivated' : 'active'
  if (theirs !== status)
    findings.broken.push(`account ${promise.id} is ${status}, and ${made['id']} upstream is ${made['status']}`)
  if (decimalOf(made['developer_fee_percent']) !== decimalOf(fee))
    findings.broken.push(
      `account ${promise.id} has a fee of ${fee}, and ${made['id']} upstream one of ${made['developer_fee_percent']}`,
    )
}
