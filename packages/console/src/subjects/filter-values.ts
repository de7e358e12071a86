// The values of filters in addresses. Every page reads them, so their words, which few pages show, are elsewhere.

import type { Deposit, SourceCurrency, VirtualAccount } from '@causeway/sdk'

export const sourceCurrencies = ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'] as const satisfies readonly SourceCurrency[]

export const accountStatuses = [
  'active',
  'pending',
  'suspended',
  'deactivated',
  'failed',
] as const satisfies readonly VirtualAccount['status'][]

export const depositStatuses = [
  'scheduled',
  'received',
  'in_review',
  'payout_submitted',
  'completed',
  'refund_pending',
  'refunded',
  'failed',
  'microdeposit',
] as const satisfies readonly Deposit['status'][]
