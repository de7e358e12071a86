// Invented but well-formed bank details for each currency: check digits are correct, numbers are random for each account.

import { clabe, iban } from '../../platform/bank-numbers.ts'
import { randomDigits } from '../../platform/ids.ts'
import type { Fiat } from './currencies.ts'
import type { DepositInstructions } from './rows.ts'

const leadBank = {
  bank_name: 'Lead Bank',
  bank_address: '1801 Main St., Kansas City, MO 64108',
  bank_routing_number: '101019644',
}
const holder = 'Bridge Building Sp. Z.o.o.'

/** Makes the bank details of a new account. Accounts in dollars are in the name of `beneficiary`, the customer. */
export const depositInstructions = (currency: Fiat, beneficiary: string): DepositInstructions => ({
  currency,
  ...builders[currency](beneficiary),
})

const builders: Record<Fiat, (beneficiary: string) => { payment_rails: string[] } & Record<string, unknown>> = {
  usd: (beneficiary) => ({
    payment_rail: 'ach_push',
    payment_rails: ['ach_push', 'fednow', 'wire'],
    ...leadBank,
    bank_account_number: `21${randomDigits(10)}`,
    bank_beneficiary_name: beneficiary,
    bank_beneficiary_address: '1801 Main St., Kansas City, MO 64108',
  }),
  eur: () => ({
    payment_rail: 'sepa',
    payment_rails: ['sepa'],
    bank_name: 'Banking Circle S.A.',
    bank_address: '2 Boulevard de la Foire, L-1528 Luxembourg',
    iban: iban('LU', `408${randomDigits(13)}`),
    bic: 'BCIRLULL',
    account_holder_name: holder,
  }),
  mxn: () => ({
    payment_rail: 'spei',
    payment_rails: ['spei'],
    bank_name: 'STP',
    bank_address: 'Av. Insurgentes Sur 1425, 03920 Ciudad de México',
    clabe: clabe(`646180${randomDigits(11)}`),
    account_holder_name: holder,
  }),
  brl: () => ({
    payment_rail: 'pix',
    payment_rails: ['pix'],
    bank_name: 'Banco Sandbox S.A.',
    bank_address: 'Av. Paulista 1000, 01310-100 São Paulo',
    br_code: `00020126360014br.gov.bcb.pix0114${randomDigits(14)}5204000053039865802BR6304${randomDigits(4)}`,
    account_holder_name: holder,
  }),
  gbp: () => ({
    payment_rail: 'faster_payments',
    payment_rails: ['faster_payments'],
    bank_name: 'ClearBank',
    bank_address: '4 Prologis Park, Blackfen Road, London',
    account_number: randomDigits(8),
    sort_code: '040605',
    account_holder_name: holder,
  }),
  cop: () => ({
    payment_rail: 'bre_b',
    payment_rails: ['bre_b'],
    bank_name: 'Banco Sandbox de Colombia',
    bank_address: 'Carrera 7 71-21, Bogotá',
    bre_b_key: `@sandbox${randomDigits(10)}`,
    account_holder_name: holder,
    deposit_message: randomDigits(8),
  }),
}
