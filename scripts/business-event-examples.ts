// One example of each object that our own events carry. They are typed by the schemas they illustrate.

import type { Static } from 'typebox'
import type { deposit } from '../packages/server/src/deposits/schema.ts'
import type { endUser } from '../packages/server/src/end-users/schema.rules.ts'
import type { informationRequest as informationRequestSchema } from '../packages/server/src/information-requests/schema.ts'
import type { OnboardingLinkView } from '../packages/server/src/onboarding/schema.rules.ts'
import type { virtualAccount } from '../packages/server/src/virtual-accounts/schema.ts'
import type { webhookEndpoint } from '../packages/server/src/webhooks/endpoints/schema.ts'

type EndUser = Static<typeof endUser>
type VirtualAccount = Static<typeof virtualAccount>
type Deposit = Static<typeof deposit>
type WebhookEndpoint = Static<typeof webhookEndpoint>

export const newEndUser: EndUser = {
  id: 'eu_5m2p8q4r6s1t0w9y3z7x1n2p4r',
  externalUserId: 'user-4711',
  email: 'user-4711@example.com',
  type: 'individual',
  metadata: { plan: 'plus' },
  kycStatus: 'not_started',
  providerStatus: null,
  tosStatus: 'pending',
  rails: { usd: 'inactive', eur: 'inactive', mxn: 'inactive', brl: 'inactive', gbp: 'inactive', cop: 'inactive' },
  requirements: { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] },
  nextAction: { kind: 'accept_tos' },
  informationRequests: [],
  providerCustomerId: null,
  createdAt: '2026-11-21T03:50:54.304Z',
  updatedAt: '2026-11-21T03:50:54.304Z',
}

export const completedOnboarding: OnboardingLinkView = {
  id: 'onboarding_link_7k2m9p4q6r8s1t3v5w0x2y4z6a',
  externalUserId: 'user-4711',
  status: 'completed',
  rails: ['usd'],
  locale: null,
  redirectUri: 'https://app.example.com/onboarded',
  createdAt: '2026-11-21T03:50:55.120Z',
  expiresAt: '2026-11-22T03:50:55.120Z',
  openedAt: '2026-11-21T03:51:20.004Z',
  completedAt: '2026-11-21T03:52:40.733Z',
}

export const abandonedOnboarding: OnboardingLinkView = {
  ...completedOnboarding,
  status: 'abandoned',
  completedAt: null,
}

export const agreedEndUser: EndUser = {
  ...newEndUser,
  kycStatus: 'under_review',
  providerStatus: 'under_review',
  tosStatus: 'approved',
  rails: { usd: 'pending', eur: 'pending', mxn: 'action_required', brl: 'inactive', gbp: 'inactive', cop: 'inactive' },
  requirements: {
    currentlyDue: ['proof_of_address_document'],
    pendingReview: ['sanctions_screen', 'pep_screen'],
    errors: [],
    associatedPersons: [],
    future: [],
  },
  nextAction: { kind: 'wait' },
  providerCustomerId: 'cust_8f3c1d',
  updatedAt: '2026-11-21T03:52:10.118Z',
}

export const approvedEndUser: EndUser = {
  ...agreedEndUser,
  kycStatus: 'approved',
  providerStatus: 'active',
  rails: { usd: 'active', eur: 'action_required', mxn: 'active', brl: 'inactive', gbp: 'inactive', cop: 'inactive' },
  requirements: {
    currentlyDue: [],
    pendingReview: [],
    errors: [
      {
        requirement: 'id_front_photo',
        code: 'id_expired',
        reason: 'The ID has expired. Send one that is valid.',
        resubmittable: true,
      },
    ],
    associatedPersons: [],
    future: [],
  },
  nextAction: { kind: 'none' },
  updatedAt: '2026-11-21T03:53:41.907Z',
}

export const account: VirtualAccount = {
  id: 'va_2p8q4r6s1t0w9y3z7x1n2p4r6s',
  bankName: 'Lead Bank',
  bankAccountNumber: '900123456789',
  bankRoutingNumber: '101019644',
  beneficiaryName: 'Ada Lovelace',
  beneficiaryAddress: '1 Analytical Way, San Francisco, CA 94105',
  destinationAddress: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
  destinationPaymentRail: 'solana',
  destinationCurrency: 'usdc',
  destination: { payment_rail: 'solana', currency: 'usdc', address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE' },
  externalUserId: 'user-4711',
  status: 'active',
  sourceCurrency: 'usd',
  developerFeePercent: '0.5',
  metadata: { invoice: '2026-11' },
  createdAt: '2026-11-21T04:00:00.000Z',
  updatedAt: '2026-11-21T04:00:01.250Z',
}

export const failedAccount: VirtualAccount = {
  ...account,
  bankName: '',
  bankAccountNumber: '',
  bankRoutingNumber: '',
  beneficiaryName: '',
  beneficiaryAddress: '',
  status: 'failed',
}

export const receivedDeposit: Deposit = {
  id: 'dep_8q4r6s1t0w9y3z7x1n2p4r6s1t',
  virtualAccountId: account.id,
  externalUserId: 'user-4711',
  providerDepositId: '5d0f1b7e-6a0c-4e0b-9d43-2f6f0f4a1c11',
  status: 'received',
  sourceCurrency: 'mxn',
  destinationCurrency: 'usdc',
  grossAmount: { value: '20000.00', currency: 'mxn' },
  developerFee: null,
  exchangeFee: null,
  subtotalAmount: null,
  exchangeRate: null,
  exchangeRateSource: null,
  destinationExchangeFee: null,
  gasFee: null,
  netAmount: null,
  refundedAmount: null,
  paymentRail: 'spei',
  senderName: 'Charles Babbage',
  senderBic: null,
  senderBankCode: '40012',
  recipientName: null,
  chargeBearer: null,
  references: {
    traceNumber: null,
    trackingNumber: '2026112140014BMOV0000487213690',
    imad: null,
    endToEndId: null,
    uetr: null,
    omad: null,
  },
  destinationPaymentRail: account.destinationPaymentRail,
  destinationTxHash: null,
  destinationTxFinal: false,
  refund: null,
  refundedAt: null,
  timeline: [
    {
      activityId: 'va_event_1',
      type: 'funds_received',
      status: 'received',
      occurredAt: '2026-11-21T04:35:00.000Z',
    },
  ],
  informationRequests: [],
  completedAt: null,
  createdAt: '2026-11-21T04:35:01.020Z',
  updatedAt: '2026-11-21T04:35:01.020Z',
}

export const completedDeposit: Deposit = {
  ...receivedDeposit,
  status: 'completed',
  developerFee: { value: '100.00', currency: 'mxn' },
  exchangeFee: { value: '50.00', currency: 'mxn' },
  subtotalAmount: { value: '19850.00', currency: 'mxn' },
  exchangeRate: '0.05415617128',
  exchangeRateSource: 'derived',
  destinationExchangeFee: { value: '0.00', currency: 'usdc' },
  gasFee: { value: '0.00', currency: 'usdc' },
  netAmount: { value: '1075.00', currency: 'usdc' },
  destinationTxHash: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
  destinationTxFinal: true,
  timeline: [
    ...receivedDeposit.timeline,
    {
      activityId: 'va_event_2',
      type: 'payment_processed',
      status: 'completed',
      occurredAt: '2026-11-21T04:40:53.000Z',
    },
  ],
  completedAt: '2026-11-21T04:40:53.000Z',
  updatedAt: '2026-11-21T04:40:54.304Z',
}

export const informationRequest: Static<typeof informationRequestSchema> = {
  id: 'ireq_1t0w9y3z7x1n2p4r6s1t0w9y3z',
  state: 'action_required',
  deadline: '2026-11-28T04:36:00.000Z',
  actionTaken: 'transaction_paused',
  actionAtDeadline: 'pause_customer',
  depositId: receivedDeposit.id,
  openedAt: '2026-11-21T04:36:00.000Z',
  closedAt: null,
  createdAt: '2026-11-21T04:36:01.250Z',
  updatedAt: '2026-11-21T04:36:01.250Z',
  externalUserId: 'user-4711',
}

export const endpoint: WebhookEndpoint = {
  id: 'whe_4r6s1t0w9y3z7x1n2p4r6s1t0w',
  webhookUrl: 'https://ledger.example.com/in',
  description: 'The ledger',
  isDefault: false,
  status: 'enabled',
  disabledReason: null,
  eventTypes: ['virtual_account.*'],
  sources: ['provider', 'causeway'],
  ordering: 'best_effort',
  sequence: 41,
  failingSince: null,
  previousSecretExpiresAt: null,
  createdAt: '2026-11-01T09:00:00.000Z',
  updatedAt: '2026-11-01T09:00:00.000Z',
}

export const disabledEndpoint: WebhookEndpoint = {
  ...endpoint,
  status: 'disabled',
  disabledReason: 'Every attempt has failed for 5 days. Fix the receiver, then enable the endpoint.',
  failingSince: '2026-11-16T04:39:00.000Z',
  updatedAt: '2026-11-21T04:40:54.304Z',
}

export const rolledKey = {
  oldKeyId: 'key_6s1t0w9y3z7x1n2p4r6s1t0w9y',
  newKeyId: 'key_1t0w9y3z7x1n2p4r6s1t0w9y3z',
  oldKeyEndsAt: '2026-11-22T04:40:54.304Z',
}
