// The sending bank's details of an incoming transfer: each rail has its own references.

import { clabe, iban } from '../../platform/bank-numbers.ts'
import { newId, randomDigits, randomHex } from '../../platform/ids.ts'
import type { Rail } from '../virtual-accounts/currencies.ts'
import type { DepositSource } from './rows.ts'

type Sender = { name: string; reference: string; recipient: string }

/** Makes the details of one deposit, with random references in the form of its rail. */
export const depositSource = (rail: Rail, sender: Sender, now: number): DepositSource => ({
  payment_rail: rail,
  ...references[rail](sender, new Date(now).toISOString().slice(0, 10).replaceAll('-', '')),
})

const references: Record<Rail, (sender: Sender, yyyymmdd: string) => Record<string, string>> = {
  ach_push: ({ name, reference, recipient }) => ({
    description: reference,
    sender_name: name,
    sender_bank_routing_number: '021000021',
    recipient_name: recipient,
    trace_number: `02100002${randomDigits(7)}`,
  }),
  wire: ({ name, reference, recipient }, yyyymmdd) => ({
    originator_name: name,
    originator_address: '270 Park Avenue, New York, NY 10017',
    bank_name: 'JPMorgan Chase Bank',
    bank_routing_number: '021000021',
    bank_beneficiary_name: recipient,
    bank_beneficiary_address: '1801 Main St., Kansas City, MO 64108',
    wire_message: reference,
    imad: `${yyyymmdd}b1qgc08c${randomDigits(6)}`,
    charge_bearer: 'sha',
  }),
  fednow: ({ name, reference }, yyyymmdd) => ({
    description: reference,
    sender_name: name,
    sender_bank_routing_number: '021000021',
    end_to_end_id: `${yyyymmdd}021000021${randomHex(18)}`,
  }),
  sepa: ({ name, reference, recipient }) => {
    const account = iban('DE', `37040044${randomDigits(10)}`)
    return {
      sender_name: name,
      recipient_name: recipient,
      bic: 'COBADEFFXXX',
      iban: account,
      iban_last_4: account.slice(-4),
      // A SEPA reference has at least six characters.
      reference: reference.padEnd(6, ' -'),
      payment_scheme: 'sepa_instant',
      uetr: newId(),
    }
  },
  spei: ({ name, reference }, yyyymmdd) => ({
    description: reference,
    sender_name: name,
    bank_name: 'BBVA MEXICO',
    bank_code: '40012',
    clabe: clabe(`012180${randomDigits(11)}`),
    reference: reference.padEnd(6, ' -'),
    tracking_number: `MBAN01${yyyymmdd}${randomDigits(14)}`,
  }),
  pix: ({ name, reference }, yyyymmdd) => ({
    description: reference,
    sender_name: name,
    tracking_number: `E00000000${yyyymmdd}${randomHex(15)}`,
  }),
  faster_payments: ({ name, reference }) => ({
    description: reference,
    sender_name: name,
    tracking_number: randomDigits(18),
  }),
  bre_b: ({ name, reference }) => ({ description: reference, sender_name: name, tracking_number: randomDigits(20) }),
}
