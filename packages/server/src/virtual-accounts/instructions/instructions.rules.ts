// Deposit instructions of a virtual account: its bank details by rail, ready to be shown to the payer.

import type { DepositInstructions } from '../bank-details.rules.ts'

const detailLabels = {
  accountNumber: 'Account number',
  routingNumber: 'Routing number',
  sortCode: 'Sort code',
  iban: 'IBAN',
  bic: 'BIC',
  clabe: 'CLABE',
  pixCode: 'Pix code',
  breBKey: 'Bre-B key',
  beneficiaryName: 'Beneficiary',
  beneficiaryAddress: 'Beneficiary address',
  bankName: 'Bank',
  bankAddress: 'Bank address',
  depositMessage: 'Message to the bank',
} as const

type DetailName = keyof typeof detailLabels
export const detailNames = Object.keys(detailLabels) as DetailName[]

const whoAndWhere = ['beneficiaryName', 'beneficiaryAddress', 'bankName', 'bankAddress'] as const
const american = ['accountNumber', 'routingNumber', ...whoAndWhere] as const

/** The details of each rail, in the order in which banks ask for them. */
const rails: Readonly<Record<string, { name: string; details: readonly DetailName[] }>> = {
  ach_push: { name: 'ACH', details: american },
  wire: { name: 'Wire', details: american },
  fednow: { name: 'FedNow', details: american },
  sepa: { name: 'SEPA', details: ['iban', 'bic', ...whoAndWhere] },
  spei: { name: 'SPEI', details: ['clabe', ...whoAndWhere] },
  pix: { name: 'Pix', details: ['pixCode', ...whoAndWhere] },
  faster_payments: { name: 'Faster Payments', details: ['accountNumber', 'sortCode', ...whoAndWhere] },
  bre_b: { name: 'Bre-B', details: ['breBKey', 'depositMessage', ...whoAndWhere] },
}

/**
 * Lists the details for the payer's bank, rail by rail. An unknown rail gets all known details; details that the
 * provider does not report are omitted.
 */
export function instructionsByRail({ rails: byRail, ...common }: DepositInstructions) {
  return byRail.map(({ rail, numbers }) => {
    const known = Object.hasOwn(rails, rail) ? rails[rail] : undefined
    const values = { ...common, ...numbers }
    const details = (known?.details ?? detailNames).flatMap((name) => {
      const value = values[name] ?? null
      return value === null ? [] : [{ name, label: detailLabels[name], value }]
    })
    return { rail, railName: known?.name ?? rail, details }
  })
}
