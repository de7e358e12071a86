// One step of a deposit, as the provider's history lists it and as its events carry it.

import type { JsonObject } from '../../platform/values/json.ts'
import type { DepositRefund, ProviderActivity } from '../types.ts'
import { decimal, member, readObject, requiredText, text, timeMs } from './fields.ts'

// The provider's prose and its schema name these steps differently; the schema's word is ours.
const schemaWords: ReadonlyMap<string, string> = new Map([
  ['refunded', 'refund'],
  ['reactivation', 'activation'],
])

/**
 * `type` is open: a word new to us is handed on, an absent one reads `unknown`.
 * @param toldAt when the provider said this, by its own clock: the event's time, or that of the answer
 */
export function readActivity(value: unknown, toldAt: string | null): ProviderActivity {
  const step = readObject(value)
  const word = text(step, 'type') ?? 'unknown'
  const id = requiredText(step, 'activity', 'id')
  const type = schemaWords.get(word) ?? word
  const occurredAtMs = timeMs(text(step, 'created_at')) ?? timeMs(toldAt) ?? 0
  return {
    id,
    type,
    customerId: text(step, 'customer_id'),
    virtualAccountId: text(step, 'virtual_account_id'),
    depositId: text(step, 'deposit_id'),
    step: { id, type, occurredAtMs, toldAtMs: timeMs(toldAt) ?? occurredAtMs, ...money(step), ...origin(step) },
  }
}

/**
 * Amounts by the currency that the provider's document denominates them in: the step's own fees in dollars, the first
 * half of the receipt in the currency paid in, its second half in the destination's.
 */
function money(step: JsonObject) {
  const receipt = member(step, 'receipt')
  return {
    amount: decimal(step, 'amount'),
    currency: text(step, 'currency')?.toLowerCase() ?? null,
    dollars: {
      developerFee: decimal(step, 'developer_fee_amount'),
      exchangeFee: decimal(step, 'exchange_fee_amount'),
      subtotal: decimal(step, 'subtotal_amount'),
      gasFee: decimal(step, 'gas_fee'),
    },
    paid: {
      initial: decimal(receipt, 'initial_amount'),
      developerFee: decimal(receipt, 'developer_fee'),
      exchangeFee: decimal(receipt, 'exchange_fee'),
      subtotal: decimal(receipt, 'subtotal_amount'),
    },
    sent: { gasFee: decimal(receipt, 'gas_fee'), final: decimal(receipt, 'final_amount') },
    exchangeRate: decimal(receipt, 'exchange_rate'),
    destinationTxHash: text(step, 'destination_tx_hash') ?? text(receipt, 'destination_tx_hash'),
  }
}

/** Where the money came from; `source` is absent from account steps and from some sandbox answers. */
function origin(step: JsonObject) {
  const source = member(step, 'source')
  return {
    paymentRail: text(source, 'payment_rail'),
    senderName: text(source, 'sender_name', 'originator_name'),
    references: {
      traceNumber: text(source, 'trace_number'),
      imad: text(source, 'imad'),
      uetr: text(source, 'uetr'),
      trackingNumber: text(source, 'tracking_number'),
      endToEndId: text(source, 'end_to_end_id'),
    },
    refund: refund(member(step, 'refund')),
  }
}

function refund(facts: JsonObject): DepositRefund | null {
  if (Object.keys(facts).length === 0) return null
  return { code: text(facts, 'code'), reason: text(facts, 'reason'), refundedAt: text(facts, 'refunded_at') }
}
