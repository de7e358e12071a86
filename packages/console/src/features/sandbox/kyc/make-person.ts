// Creates a test end-user with an outcome, step by step, like an integration: create, accept the terms, submit KYC, open an account.

import { type Body, ConflictError, type EndUser } from '@causeway/sdk'
import { causeway, queryClient } from '../../../session/client.ts'
import type { PersonOutcome } from '../outcomes.ts'
import { inventedCompany, inventedPerson } from './invented-person.ts'

export type PersonOrder = { externalUserId: string; outcome: PersonOutcome; currency: string }

export type PersonStep = 'created' | 'accepted' | 'submitted' | 'decided' | 'opened'
export type Progress = { done: readonly PersonStep[]; accountId: string | null; user: EndUser | null }

const verdictMs = 500
const verdictTriesMax = 40

/** A wallet on Solana's test network that takes everything. */
const destination = {
  payment_rail: 'solana',
  currency: 'usdc',
  address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
} as const

export function stepsOf({ outcome, currency }: PersonOrder): readonly PersonStep[] {
  if (outcome.value === 'created') return ['created']
  if (outcome.suffix === null) return ['created', 'accepted']
  const steps: readonly PersonStep[] = ['created', 'accepted', 'submitted', 'decided']
  return currency === '' ? steps : [...steps, 'opened']
}

/** @throws ApiError of the step that was refused; those before it are done */
export async function makePerson(order: PersonOrder, onProgress: (progress: Progress) => void): Promise<void> {
  const { externalUserId, outcome, currency } = order
  let progress: Progress = { done: [], accountId: null, user: null }
  const tell = (change: Partial<Progress>, step: PersonStep): void => {
    progress = { ...progress, ...change, done: [...progress.done, step] }
    onProgress(progress)
  }
  try {
    const email = `${externalUserId}${outcome.suffix ?? ''}`
    const type = outcome.isCompany ? 'business' : 'individual'
    const user = await createOrGet({ externalUserId, email: `${email}@example.com`, type })
    tell({ user }, 'created')
    if (outcome.value === 'created') return
    const hasAccepted = user.tosStatus === 'approved'
    const accepted = hasAccepted ? null : await causeway.sandbox.acceptTerms({ externalUserId })
    tell({}, 'accepted')
    if (outcome.suffix === null) return
    const data = outcome.isCompany ? inventedCompany : inventedPerson
    await causeway.kyc.submit(externalUserId, data(email, accepted?.signedAgreementId ?? null))
    tell({}, 'submitted')
    tell({ user: await verdictOf(externalUserId, outcome) }, 'decided')
    if (currency === '') return
    const account = await causeway.virtualAccounts.create({ externalUserId, source: { currency }, destination })
    tell({ accountId: account.id }, 'opened')
  } finally {
    for (const subject of ['end-users', 'accounts', 'home']) void queryClient.invalidateQueries({ queryKey: [subject] })
  }
}

/** Who is there already submits again, as after a rejection. */
function createOrGet(body: Body<'createEndUser'>): Promise<EndUser> {
  return causeway.endUsers.create(body).catch((error: unknown) => {
    if (!(error instanceof ConflictError) || error.code !== 'end_user_already_exists') throw error
    return causeway.endUsers.get(body.externalUserId)
  })
}

/** Waits for the sandbox provider's verdict. An end-user that stays under review is returned without one. */
async function verdictOf(externalUserId: string, { value }: PersonOutcome): Promise<EndUser> {
  for (let tries = 1; ; tries++) {
    const user = await causeway.endUsers.get(externalUserId)
    const isDecided = !['not_started', 'under_review'].includes(user.kycStatus)
    if (isDecided || (value === 'review' && user.kycStatus === 'under_review') || tries >= verdictTriesMax) return user
    await new Promise((resolve) => setTimeout(resolve, verdictMs))
  }
}
