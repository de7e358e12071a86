// The objects of the API, as far as this integration looks at them. `GET /v0/openapi.json` has them whole.

export interface EndUser {
  readonly externalUserId: string
  readonly kycStatus:
    | 'not_started'
    | 'under_review'
    | 'approved'
    | 'rejected'
    | 'action_required'
    | 'paused'
    | 'offboarded'
  readonly tosStatus: 'pending' | 'approved' | 'expired'
  readonly rails: Readonly<Record<Currency, 'inactive' | 'pending' | 'active' | 'action_required' | 'revoked'>>
  readonly requirements: Requirements
  readonly nextAction: NextAction
  readonly updatedAt: string
}

export type Currency = 'usd' | 'eur' | 'mxn'

export interface Requirements {
  readonly currentlyDue: readonly string[]
  readonly errors: readonly { readonly requirement: string; readonly code: string; readonly reason: string }[]
}

export interface NextAction {
  readonly kind: 'accept_tos' | 'submit_kyc' | 'resubmit_kyc' | 'open_link' | 'wait' | 'contact_support' | 'none'
  readonly url?: string
  readonly fields?: readonly string[]
  /** Of the people of a company: what each one's entry must hold. */
  readonly associatedPersons?: readonly { readonly id: string; readonly fields: readonly string[] }[]
}

export interface KycLinks {
  readonly rejectionReasons: readonly string[]
  readonly requirements: Requirements
  readonly nextAction: NextAction
}

/** What a submission has to hold in one country. */
export interface KycRequirements {
  readonly fields: readonly {
    readonly requirement: string
    readonly field: string
    readonly required: 'always' | 'conditional'
  }[]
  readonly identityDocuments: {
    readonly taxId: { readonly types: readonly string[] }
    readonly photoId: { readonly required: boolean; readonly types: readonly string[] }
  }
  readonly documents: { readonly requiredPurposes: readonly string[] }
  readonly images: { readonly pixelsMin: number }
}

/** The body of a KYC submission: the provider's customer shape. */
export type Kyc = Readonly<Record<string, unknown>>

export interface VirtualAccount {
  readonly id: string
  readonly externalUserId: string
  readonly status: 'pending' | 'active' | 'deactivated' | 'failed'
  readonly sourceCurrency: Currency
  readonly bankAccountNumber: string
  readonly bankRoutingNumber: string
  readonly destinationAddress: string
  readonly destinationPaymentRail: string
  readonly destinationCurrency: string
  readonly developerFeePercent: string
}

export interface DepositInstructions {
  readonly status: VirtualAccount['status']
  readonly minimumAmount: string
  readonly instructions: readonly {
    readonly rail: string
    readonly details: readonly { readonly name: string; readonly label: string; readonly value: string }[]
  }[]
}

export type DepositStatus =
  | 'scheduled'
  | 'received'
  | 'in_review'
  | 'payout_submitted'
  | 'completed'
  | 'refund_pending'
  | 'refunded'
  | 'failed'
  | 'microdeposit'

export interface Amount {
  readonly value: string
  readonly currency: string
}

export interface Deposit {
  readonly id: string
  readonly virtualAccountId: string
  readonly externalUserId: string
  readonly providerDepositId: string
  readonly status: DepositStatus
  readonly sourceCurrency: string
  readonly destinationCurrency: string
  readonly grossAmount: Amount | null
  readonly developerFee: Amount | null
  readonly exchangeFee: Amount | null
  readonly subtotalAmount: Amount | null
  readonly exchangeRate: string | null
  readonly exchangeRateSource: 'provider' | 'derived' | null
  readonly gasFee: Amount | null
  readonly netAmount: Amount | null
  readonly destinationTxHash: string | null
  readonly refund: { readonly code: string | null; readonly reason: string | null } | null
  readonly timeline: readonly { readonly status: DepositStatus }[]
}

/** Each event of ours carries its whole object, as it was right then. */
export interface EventData {
  readonly 'end_user.created': EndUser
  readonly 'end_user.tos.accepted': EndUser
  readonly 'end_user.kyc.updated': EndUser
  readonly 'virtual_account.created': VirtualAccount
  readonly 'virtual_account.updated': VirtualAccount
  readonly 'virtual_account.deactivated': VirtualAccount
  readonly 'virtual_account.reactivated': VirtualAccount
  readonly 'virtual_account.deposit.updated': Deposit
  readonly 'virtual_account.payment.received': Deposit
}

export type EventType = keyof EventData

export interface Event {
  readonly event_type: EventType
  readonly data: EventData[EventType]
}

export interface WebhookEndpoint {
  readonly id: string
  readonly sequence: number
}
