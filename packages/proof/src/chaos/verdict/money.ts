// Deposits: each that the provider's bank knows is here, in the same state, with the same amounts, and they add up. Pure.

import type { JsonObject } from '../../../../server/src/platform/values/json.ts'
import { depositStatuses } from '../../../../server/test/event-order-truth.ts'
import { decimalOf } from './decimals.ts'
import type { Evidence } from './evidence.ts'
import { type Findings, groupBy } from './findings.ts'

/** @returns how many deposits were compared */
export function judgeMoney({ businesses, provider }: Evidence, findings: Findings): number {
  const steps = provider.events
    .filter((event) => event['event_category'] === 'virtual_account.activity')
    .map((event) => event['event_object'] as JsonObject)
    .filter((step) => step['deposit_id'] !== undefined)
  const theirs = groupBy(steps, (step) => String(step['deposit_id']))
  const ours = groupBy(
    businesses.flatMap(({ deposits }) => deposits),
    (deposit) => String(deposit['providerDepositId']),
  )
  const total = { gross: 0n, theirGross: 0n, net: 0n, theirNet: 0n }
  for (const [id, history] of theirs) {
    const [deposit, ...more] = ours.get(id) ?? []
    if (!deposit) {
      findings.lost.push(`deposit ${id} is at the bank and not here`)
      continue
    }
    if (more.length > 0) findings.doubled.push(`deposit ${id} of the bank is here ${more.length + 1} times`)
    const told = factsOf(history)
    for (const [name, value] of Object.entries(told)) {
      const seen = name === 'status' ? deposit[name] : amountOf(deposit, name)
      if (!isSame(value, seen)) findings.broken.push(`deposit ${id} has the ${name} ${seen}; the bank says ${value}`)
    }
    total.theirGross += decimalOf(told['grossAmount'] ?? '0')
    total.gross += decimalOf(amountOf(deposit, 'grossAmount') ?? '0')
    if (told['netAmount'] === undefined) continue
    total.theirNet += decimalOf(told['netAmount'])
    total.net += decimalOf(amountOf(deposit, 'netAmount') ?? '0')
    const [gross = 0n, developerFee = 0n, exchangeFee = 0n, subtotal = 0n] = paidNames.map((name) =>
      decimalOf(amountOf(deposit, name) ?? '0'),
    )
    if (gross - developerFee - exchangeFee !== subtotal)
      findings.broken.push(`deposit ${id} does not add up: ${JSON.stringify(deposit)}`)
  }
  for (const id of ours.keys()) if (!theirs.has(id)) findings.broken.push(`deposit ${id} is here and not at the bank`)
  if (total.gross !== total.theirGross || total.net !== total.theirNet)
    findings.broken.push(
      `sums differ from the bank's by ${total.gross - total.theirGross} gross, ${total.net - total.theirNet} net (10^-18)`,
    )
  return theirs.size
}

const paidNames = ['grossAmount', 'developerFee', 'exchangeFee', 'subtotalAmount']

function amountOf(deposit: JsonObject, name: string): unknown {
  return (deposit[name] as JsonObject | null | undefined)?.['value']
}

function isSame(told: string, seen: unknown): boolean {
  if (seen === null || seen === undefined) return false
  return /^\d/.test(told) ? decimalOf(told) === decimalOf(seen) : told === seen
}

function factsOf(history: readonly JsonObject[]): Record<string, string> {
  const last = history.at(-1)
  const arrival = history.find(({ type }) => /^(funds_|microdeposit)/.test(String(type)))
  const receipt = history.findLast((step) => step['receipt'] !== undefined)?.['receipt'] as JsonObject | undefined
  return {
    status: depositStatuses[String(last?.['type'])] ?? '',
    ...(arrival ? { grossAmount: String(arrival['amount']) } : {}),
    ...(receipt
      ? {
          developerFee: String(receipt['developer_fee']),
          exchangeFee: String(receipt['exchange_fee']),
          subtotalAmount: String(receipt['subtotal_amount']),
          gasFee: String(receipt['gas_fee']),
          netAmount: String(receipt['final_amount']),
        }
      : {}),
  }
}
