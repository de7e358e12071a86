// Who may pay in and how much, as the provider's guides say. No response of the provider contains these rules, so they are
// information with a date: Causeway refuses nothing because of them. Minimums are in the table of rails.

import { parseDecimal, smallestBeforePercent } from '../../platform/values/money.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'

/** The day on which the guides were read. */
const asOf = '2026-11-26'

export const payerTexts = {
  own_account: 'The end-user, from a bank account in their own name.',
  business: 'A registered business.',
  payroll: 'An employer that pays wages, if the end-user lives in the USA.',
  family_member: 'A family member with the same surname, if the end-user lives outside the USA.',
  other_person_below_limit: 'Another person who pays less than 4,000 USD, if the end-user lives outside the USA.',
  third_party_except_some_states: 'Anybody else, if the end-user lives in the USA, except in New York and Texas.',
  iban_of_listed_country:
    'Anyone with an IBAN from a country that the provider lists, such as the countries of the EEA.',
} as const

export type PayerKind = keyof typeof payerTexts
export const payerKinds = Object.keys(payerTexts) as PayerKind[]

const ownAndBusiness = ['own_account', 'business'] as const
const payers: Readonly<Record<FiatCurrency, readonly PayerKind[]>> = {
  usd: [
    'own_account',
    'business',
    'family_member',
    'other_person_below_limit',
    'payroll',
    'third_party_except_some_states',
  ],
  eur: ['iban_of_listed_country'],
  mxn: ownAndBusiness,
  brl: ownAndBusiness,
  gbp: ownAndBusiness,
  cop: ownAndBusiness,
}

/**
 * Lists who may pay into an account and how much.
 * @param account `feePercent` null: the fee is set by rail, and the smallest deposit is not known
 */
export function payerRulesOf(account: {
  currency: FiatCurrency
  minimumAmount: string
  feePercent: string | null
  beneficiaryName: string | null
}) {
  const { currency, minimumAmount, feePercent, beneficiaryName } = account
  const [least, fee] = [parseDecimal(minimumAmount), feePercent === null ? null : parseDecimal(feePercent)]
  return {
    minimumAfterFee: minimumAmount,
    minimumDeposit: least === null || fee === null ? null : smallestBeforePercent(least, fee),
    maximumAmount: null,
    payers: payers[currency].map((kind) => ({ kind, text: payerTexts[kind] })),
    payerUsesName: beneficiaryName,
    asOf,
  }
}
