// Switches for ways in which the real Bridge differs from its newest document, by account, host or date.
import { refuse } from '../../platform/errors.ts'

export const behaviours = [
  /** `GET /webhook_events` returns 404. */
  'webhook_events_absent',
  /** Customers are shown without `client_reference_id`. */
  'client_reference_id_absent',
  /** `requirements.missing` is the name of the first missing requirement, and each item of `issues` is a list of one. */
  'requirements_bare',
  /** Links to the terms lead to another origin than all other links. */
  'tos_second_origin',
  /** Payment activities name the paid-in fiat as their `currency`. */
  'payout_currency_fiat',
  /** Receipts have the newer form, with the amounts around the conversion; their subtotal is in the destination's currency. */
  'receipt_newer',
  /** The same, and the exchange fee is taken after the conversion, in the destination's currency. */
  'receipt_newer_fee_after',
  /** `payment_submitted` has a receipt with `initial_amount` alone. */
  'receipt_early',
  /** A KYC link has a customer in status `not_started` from its creation on. */
  'link_customer_early',
  /** The addresses in a KYC link lack `http://`, as in the document's examples. */
  'link_scheme_absent',
  /** The developer may state that somebody has accepted the terms: approved Terms of Service reliance. */
  'terms_reliance',
  /** A company is created, and changed under its `type`, with its 17 required fields only: the form of 2025. */
  'company_whole',
  /** Times of associated persons are ISO 8601 texts instead of unix milliseconds. */
  'person_times_iso',
] as const

export type BehaviourName = (typeof behaviours)[number]

/** @throws Refusal when the switch cannot be set at this origin */
export const checkBehaviour = (name: BehaviourName, origin: string): void => {
  if (name === 'tos_second_origin' && secondOrigin(origin) === undefined) {
    throw refuse(409, 'no_second_origin', 'Only a sandbox at localhost or 127.0.0.1 has a second origin')
  }
}

const namesOfThisMachine: Readonly<Record<string, string>> = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }

/** Returns the origin of the same listener under its other name, which a browser treats as a different origin. */
export const secondOrigin = (origin: string): string | undefined => {
  const url = new URL(origin)
  const hostname = namesOfThisMachine[url.hostname]
  if (hostname === undefined) return undefined
  url.hostname = hostname
  return url.origin
}
