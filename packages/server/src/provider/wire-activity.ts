// One step of a deposit, as the provider's history lists it and as its events carry it.

import type { ProviderActivity } from './port.ts'
import { readObject, requiredText, text } from './wire-fields.ts'

// The provider's prose and its schema name these steps differently; the schema's word is ours.
const schemaWords: ReadonlyMap<string, string> = new Map([
  ['refunded', 'refund'],
  ['reactivation', 'activation'],
])

/** `type` is open: a word new to us is handed on, an absent one reads `unknown`. `raw` is the step as it came. */
export function readActivity(value: unknown): ProviderActivity {
  const step = readObject(value)
  const type = text(step, 'type') ?? 'unknown'
  return {
    id: requiredText(step, 'activity', 'id'),
    type: schemaWords.get(type) ?? type,
    customerId: text(step, 'customer_id'),
    virtualAccountId: text(step, 'virtual_account_id'),
    depositId: text(step, 'deposit_id'),
    raw: step,
    createdAt: text(step, 'created_at'),
  }
}
