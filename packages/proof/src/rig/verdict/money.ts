// Deposits: each that the provider's bank knows is here, in the same state, with the same amounts, and they add up. Pure.

import { decimalOf } from './decimals.ts'
import { type Finding, member, type Observed, type Row } from './observed.ts'

/** The status of a deposit after an activity of the provider. */
const statuses: Readonly<Record<string, string>> = {
  funds_scheduled: 'scheduled',
  funds_received: 'received',
  in_review: 'in_review',
  payment_submitted: 'payout_submitted',
  payment_processed: 'completed',
  refund_in_flight: 'refund_pending',
  refund: 'refunded',
  refund_failed: 'failed',
  microdeposit: 'microdeposit',
}

type Money = { gross: bigint; net: bigint }

export function judgeDeposits({ evidence: { businesses, provider } }: Observed): Finding[] {
  if (provider === null) return []
  const findings: Finding[] = []
  const steps = provider.events
    .filter((event) => event['event_category'] === 'virtual_account.activity')
    .map((event) => event['event_object'] as Row)
    .filter((step) => step['deposit_id'] !== undefined)
  const theirs = Map.groupBy(steps, (step) => String(step['deposit_id']))
  const ours = Map.groupBy(
    businesses.flatMap(({ deposits }) => deposits),
    (deposit) => String(deposit['providerDepositId']),
  )
  const difference: Money = { gross: 0n, net: 0n }
  for (const [id, history] of theirs) {
    const [deposit, ...more] = ours.get(id) ?? []
    if (!deposit) {
      findings.push({ kind: 'lost', text: `deposit ${id} is at the bank and not here` })
      continue
    }
    if (more.length > 0)
      findings.push({ kind: 'doubled', text: `deposit ${id} of the bank is here ${more.length + 1} times` })
    findings.push(...compare(id, deposit, factsOf(history), difference))
  }
  for (const id of ours.keys())
    if (!theirs.has(id)) findings.push({ kind: 'broken', text: `deposit ${id} is here and not at the bank` })
  if (findings.length === 0 && (difference.gross !== 0n || difference.net !== 0n)) {
    const text = `sums differ from the bank's by ${difference.gross} gross, ${difference.net} net (10^-18)`
    findings.push({ kind: 'broken', text })
  }
  return findings
}

function compare(id: string, deposit: Row, told: Readonly<Record<string, string>>, difference: Money): Finding[] {
  const wrong: string[] = []
  for (const [name, value] of Object.entries(told)) {
    const seen = name === 'status' ? deposit[name] : amountOf(deposit, name)
    if (!isSame(value, seen)) wrong.push(`deposit ${id} has the ${name} ${seen}; the bank says ${value}`)
  }
  difference.gross += decimalOf(amountOf(deposit, 'grossAmount') ?? '0') - decimalOf(told['grossAmount'] ?? '0')
  if (told['netAmount'] !== undefined) {
    difference.net += decimalOf(amountOf(deposit, 'netAmount') ?? '0') - decimalOf(told['netAmount'])
    const [gross = 0n, developerFee = 0n, exchangeFee = 0n, subtotal = 0n] = paidNames.map((name) =>
      decimalOf(amountOf(deposit, name) ?? '0'),
    )
    if (wrong.length === 0 && gross - developerFee - exchangeFee !== subtotal)
      wrong.push(`deposit ${id} does not add up: ${JSON.stringify(deposit)}`)
  }
  return wrong.map((text) => ({ kind: 'broken', text }))
}

const paidNames = ['grossAmount', 'developerFee', 'exchangeFee', 'subtotalAmount']

function amountOf(deposit: Row, name: string): unknown {
  return member(deposit[name], 'value')
}

function isSame(told: string, seen: unknown): boolean {
  if (seen === null || seen === undefined) return false
  return /^\d/.test(told) ? decimalOf(told) === decimalOf(seen) : told === seen
}

function factsOf(history: readonly Row[]): Record<string, string> {
  const last = history.at(-1)
  const arrival = history.find(({ type }) => /^(funds_|microdeposit)/.test(String(type)))
  const receipt = history.findLast((step) => step['receipt'] !== undefined)?.['receipt'] as Row | undefined
  return {
    status: statuses[String(last?.['type'])] ?? '',
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
