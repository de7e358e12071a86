// One activity of an account, from the provider's history or its events.

import type { JsonObject } from '../../../platform/values/json.ts'
import type { DepositActivity, ReceiptAmounts } from '../../activity.ts'
import { decimal, member, readObject, requiredText, text, timeMs } from '../../http/fields.ts'
import type { ProviderActivity } from '../../port.ts'

// The provider's text and its schema name these steps differently; we use the schema's word.
const schemaWords: ReadonlyMap<string, string> = new Map([
  ['refunded', 'refund'],
  ['reactivation', 'activation'],
])

/** Steps of a history that are about the account itself and move no money. */
const accountSteps: ReadonlySet<string> = new Set(['account_update', 'activation', 'deactivation'])

/**
 * Reads one activity.
 * @param reportedAt by the provider's clock: the time of the event or of the response. Of two reports of one activity
 * the later one counts
 */
export function readActivity(value: unknown, reportedAt: string | null): ProviderActivity {
  const body = readObject(value)
  const word = text(body, 'type') ?? 'unknown'
  const id = requiredText(body, 'activity', 'id')
  const type = schemaWords.get(word) ?? word
  const occurredAtMs = timeMs(text(body, 'created_at')) ?? timeMs(reportedAt) ?? 0
  return {
    customerId: text(body, 'customer_id'),
    virtualAccountId: text(body, 'virtual_account_id'),
    depositId: text(body, 'deposit_id'),
    isAccountStep: accountSteps.has(type),
    activity: {
      id,
      type,
      occurredAtMs,
      reportedAtMs: timeMs(reportedAt) ?? occurredAtMs,
      ...money(body),
      ...origin(body),
    },
  }
}

/** Reads the amounts, grouped by their currency in the provider's document. */
function money(
  body: JsonObject,
): Pick<
  DepositActivity,
  'amount' | 'currency' | 'dollars' | 'receipt' | 'destinationTxHash' | 'destinationPaymentRail'
> {
  const receipt = member(body, 'receipt')
  return {
    amount: decimal(body, 'amount'),
    currency: text(body, 'currency')?.toLowerCase() ?? null,
    dollars: {
      developerFee: decimal(body, 'developer_fee_amount'),
      exchangeFee: decimal(body, 'exchange_fee_amount'),
      subtotal: decimal(body, 'subtotal_amount'),
      gasFee: decimal(body, 'gas_fee'),
    },
    receipt: receiptAmounts(receipt),
    destinationTxHash: text(body, 'destination_tx_hash') ?? text(receipt, 'destination_tx_hash'),
    destinationPaymentRail: text(body, 'destination_payment_rail'),
  }
}

function receiptAmounts(receipt: JsonObject): ReceiptAmounts {
  return {
    initial: decimal(receipt, 'initial_amount'),
    developerFee: decimal(receipt, 'developer_fee'),
    exchangeFee: decimal(receipt, 'exchange_fee'),
    preConversionSubtotal: decimal(receipt, 'pre_conversion_subtotal_amount'),
    converted: decimal(receipt, 'converted_amount'),
    subtotal: decimal(receipt, 'subtotal_amount'),
    gasFee: decimal(receipt, 'gas_fee'),
    final: decimal(receipt, 'final_amount'),
    exchangeRate: decimal(receipt, 'exchange_rate'),
  }
}

/** Reads the origin of the money. `source` is absent from activities of the account and from some sandbox responses. */
function origin(body: JsonObject) {
  const source = member(body, 'source')
  return {
    paymentRail: text(source, 'payment_rail'),
    senderName: text(source, 'sender_name', 'originator_name'),
    senderBic: text(source, 'bic'),
    senderBankCode: text(source, 'bank_code'),
    recipientName: text(source, 'recipient_name', 'bank_beneficiary_name'),
    chargeBearer: text(source, 'charge_bearer'),
    references: {
      traceNumber: text(source, 'trace_number'),
      trackingNumber: text(source, 'tracking_number'),
      imad: text(source, 'imad'),
      endToEndId: text(source, 'end_to_end_id'),
      uetr: text(source, 'uetr'),
      omad: text(source, 'omad'),
    },
    refund: refund(member(body, 'refund')),
  }
}

function refund(facts: JsonObject) {
  if (Object.keys(facts).length === 0) return null
  return { code: text(facts, 'code'), reason: text(facts, 'reason'), refundedAt: text(facts, 'refunded_at') }
}
