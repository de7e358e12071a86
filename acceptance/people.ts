// End-users and accounts that a test needs, each with its own names: a run can be repeated on the same service.

import { randomUUID } from 'node:crypto'
import { succeed, until } from './call.ts'

export interface EndUser {
  readonly id: string
  readonly externalUserId: string
  readonly kycStatus: string
  readonly tosStatus: string
  readonly rails: Readonly<Record<string, string>>
  readonly requirements: { readonly currentlyDue: readonly string[] }
  readonly nextAction: { readonly kind: string }
  readonly providerCustomerId: string | null
  readonly createdAt: string
}

export interface Account {
  readonly id: string
  readonly status: string
}

export const WALLET = '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE'
export const DESTINATION = { payment_rail: 'solana', currency: 'usdc', address: WALLET }

export const newName = (name: string) => `${name}-${randomUUID().slice(0, 8)}`
export const newKey = () => `acceptance-${randomUUID()}`
export const pathOf = (externalUserId: string) => `/v0/end-users/${encodeURIComponent(externalUserId)}`

/** Nobody of this name exists. */
export const SSN = '123-45-6789'
export const kycOf = (externalUserId: string) => ({
  first_name: 'Grace',
  last_name: 'Hopper',
  email: `${externalUserId}@example.com`,
  birth_date: '1986-12-09',
  residential_address: {
    street_line_1: '1 Compiler Street',
    city: 'New York',
    subdivision: 'NY',
    postal_code: '10001',
    country: 'USA',
  },
  identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: SSN }],
})

export async function createEndUser(name: string, key?: string): Promise<EndUser> {
  const externalUserId = newName(name)
  const body = { externalUserId, email: `${externalUserId}@example.com` }
  return succeed<EndUser>('POST', '/v0/end-users', { body, ...(key !== undefined && { key }) })
}

export const readEndUser = (externalUserId: string) => succeed<EndUser>('GET', pathOf(externalUserId))

/** Makes the link, and agrees on the page's behalf. */
export async function acceptTerms(externalUserId: string): Promise<string> {
  await succeed('POST', `${pathOf(externalUserId)}/tos-link`)
  const accepted = { body: { externalUserId } }
  const { signedAgreementId } = await succeed<{ signedAgreementId: string }>(
    'POST',
    '/v0/sandbox/terms-acceptances',
    accepted,
  )
  return signedAgreementId
}

export const untilApproved = (externalUserId: string) =>
  until(
    `${externalUserId} is approved`,
    () => readEndUser(externalUserId),
    ({ kycStatus, rails }) => kycStatus === 'approved' && rails['usd'] === 'active',
  )

export async function createApproved(name: string): Promise<EndUser> {
  const { externalUserId } = await createEndUser(name)
  const body = { ...kycOf(externalUserId), signed_agreement_id: await acceptTerms(externalUserId) }
  await succeed('POST', `${pathOf(externalUserId)}/submit-kyc`, { body })
  return untilApproved(externalUserId)
}

export const accountOf = (externalUserId: string, developer_fee_percent?: string) => ({
  externalUserId,
  source: { currency: 'usd' },
  destination: DESTINATION,
  ...(developer_fee_percent !== undefined && { developer_fee_percent }),
})

export const openAccount = (externalUserId: string, feePercent?: string) =>
  succeed<Account>('POST', '/v0/virtual-accounts', { body: accountOf(externalUserId, feePercent) })
