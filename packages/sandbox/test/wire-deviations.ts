// Every deviation of the emulator from the provider's document, and the value in its place. WIRE.md gives the reasons.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Schema = { [name: string]: unknown }

export type Deviations = {
  /** Places of the document that a response or an event breaks, or properties it does not have, with the value there. */
  answers: Record<string, Schema>
  /** The same for bodies of accepted requests. */
  requests: Record<string, Schema>
  /** Statuses that the document does not describe for an operation, by their name in WIRE.md. */
  statuses: Record<string, RegExp>
  /** Operations that the document does not have. */
  operations: string[]
}

const oneOf = (...values: string[]): Schema => ({ enum: values })

export const deviations: Deviations = {
  answers: {
    'CustomerStatus.enum': oneOf('deposits_restricted'),
    'KycStatus.enum': oneOf('deposits_restricted'),
    'EndorsementType.enum': oneOf('cop', 'faster_payments', 'pix', 'pix_onramp', 'pix_offramp'),
    'EuroInclusiveFiatCurrency.enum': oneOf('brl', 'gbp', 'cop'),
    'VirtualAccountSourcePaymentRails.enum': oneOf('fednow', 'faster_payments', 'bre_b'),
    'WebhookEventCategory.enum': oneOf('bridge_wallet.activity', 'external_account', 'rfi'),
    'VirtualAccountEvent.properties.type.enum': oneOf('refund_in_flight', 'refund_failed'),
    'Customer.properties.last_name.type': { type: 'null' },
    'Endorsement.properties.requirements.properties.missing.type': { type: 'null' },
    'Endorsement.properties.requirements.properties.complete.items.type': {
      type: 'object',
      required: ['associated_person', 'items'],
    },
    'IndividualKycLinkResponse.properties.customer_id.type': { type: 'null' },
    'WebhookEvent.properties.event_object_status.type': { type: 'null' },
    'WebhookEvent.properties.event_object_status.enum': { type: 'null' },
    'WebhookEvent.properties.event_type.enum': {
      type: 'string',
      pattern:
        '^(customer|kyc_link|virtual_account\\.activity)\\.(created|updated|updated\\.status_transitioned|deleted)$',
    },
    'Currency.enum': oneOf('eur', 'mxn', 'brl', 'gbp', 'cop', 'eurc', 'usdl_linea'),
    'Error.properties.source.properties.key.type': { type: 'object' },
    'Error.required': { type: 'object', required: ['errors'] },
    'Error.properties.errors': { type: 'array' },
    'Error.properties.location': oneOf('header'),
    'Error.properties.name': oneOf('Api-Key'),
    'Error.properties.existing_kyc_link': { type: 'object', required: ['id', 'kyc_link', 'tos_link'] },
    'Customer.properties.type': oneOf('individual', 'business'),
    'Customer.properties.middle_name': { type: 'string' },
    'Customer.properties.client_reference_id': { type: 'string' },
    'Customer.properties.persona_inquiry_type': oneOf('gov_id_db', 'business'),
    'Customer.properties.associated_persons': { type: 'array', items: { required: ['id', 'email'] } },
    'Endorsement.properties.future_requirements': {
      type: 'array',
      items: { required: ['effective_date', 'verification_stage', 'pending', 'missing', 'issues'] },
    },
    'IndividualKycLinkResponse.properties.persona_inquiry_type': oneOf('gov_id_db', 'business'),
    'VirtualAccountEvent.properties.refund': { type: 'object', required: ['code', 'reason', 'refunded_at'] },
    'Receipt.properties.pre_conversion_subtotal_amount': { type: 'string' },
    'Receipt.properties.converted_amount': { type: 'string' },
    'Receipt.properties.mid_market_rate': { type: 'string' },
    'VirtualAccountEventSource.properties.bank_code': { type: 'string' },
    'VirtualAccountEventSource.properties.charge_bearer': oneOf('our', 'sha', 'ben'),
    'VirtualAccountEventSource.properties.end_to_end_id': { type: 'string' },
    'VirtualAccountEventSource.properties.recipient_name': { type: 'string' },
    'VirtualAccountSourceDepositInstructions.properties.account_number': { type: 'string' },
    'VirtualAccountSourceDepositInstructions.properties.sort_code': { type: 'string' },
    'VirtualAccountSourceDepositInstructions.properties.br_code': { type: 'string' },
    'VirtualAccountSourceDepositInstructions.properties.bre_b_key': { type: 'string' },
    'VirtualAccountSourceDepositInstructions.properties.deposit_message': { type: 'string' },
  },
  requests: {
    'EndorsementType.enum': oneOf('cop', 'faster_payments', 'pix', 'pix_onramp', 'pix_offramp'),
    'EuroInclusiveFiatCurrency.enum': oneOf('brl', 'gbp', 'cop'),
    'OfframpChain.enum': oneOf('celo', 'linea', 'tempo', 'xdc'),
    'CryptoCurrency.enum': oneOf('usdl_linea'),
    'WebhookEventCategory.enum': oneOf('bridge_wallet.activity', 'external_account', 'rfi'),
    'UpdateIndividualCustomerPayload.properties.completed_customer_safety_check_at.type': {},
    'UpdateBusinessCustomerPayload.required': { type: 'object' },
    'AssociatedPerson.properties.completed_customer_safety_check_at.type': {},
  },
  statuses: {
    'virtual accounts, lists and rates: 401': /(virtual_accounts|\/lists\/|exchange_rates).* 401$/,
    'an id in the path: 404': /\{\w+\}.* 404$/,
    'a body that cannot be taken: 400': /^(POST|PUT) .*\{\w+\}.* 400$/,
    'a query that cannot be understood: 400': /^GET \/[a-z_]+ 400$/,
    'the last signer: 400': /^DELETE .*associated_persons.* 400$/,
    'a missing endorsement: 403': /^POST .*virtual_accounts 403$/,
  },
  operations: [
    'GET /rfis',
    'GET /rfis/{rfiID}',
    'GET /webhook_events',
    'POST /customers/{customerID}/simulate_kyc_approval',
  ],
}

/** Reads the first column of the tables under `heading` in the emulator's part of WIRE.md. */
export const listedUnder = (heading: string): string[] => {
  const text = readFileSync(join(import.meta.dirname, '../../../WIRE.md'), 'utf8')
  const [, emulator = ''] = text.split(/^## Emulator$/m)
  const [ours = ''] = emulator.split(/^## /m)
  const [, below = ''] = ours.split(new RegExp(`^### ${heading}$`, 'm'))
  const [table = ''] = below.split(/^### /m)
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, place = '']) => place)
}
