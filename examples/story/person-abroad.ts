// A person outside the USA: ask what is needed, try it without sending, accept the terms, submit, be approved.
// An account is asked for before the approval, and opens with it.

import assert from 'node:assert/strict'
import { type Applicant, missingOf, onboard } from '../onboarding.ts'
import { marie } from './people.ts'
import { chapter, saw } from './tell.ts'
import { EVM_WALLET } from './wallets.ts'
import type { World } from './world.ts'

export async function personAbroad({ api, events, idOf, emailOf }: World): Promise<string> {
  chapter('A person in France')
  const externalUserId = idOf('marie')
  const email = emailOf('marie')
  const endUser = await api.endUsers.create({ externalUserId, email, type: 'individual' })
  assert.equal(endUser.kycStatus, 'not_started')
  assert.equal(endUser.nextAction.kind, 'accept_tos')
  saw('is created, and has the terms to accept')

  const needed = await api.kyc.requirements({ country: 'FRA', rails: 'usd,eur,mxn' })
  const always = needed.fields.filter((field) => field.required === 'always')
  const whole = marie(email)
  for (const { field } of always) assert.ok((field.split('.')[0] ?? '') in whole, `our form lacks ${field}`)
  assert.ok(needed.identityDocuments.photoId.types.includes('passport'))
  assert.ok(needed.images.pixelsMin <= 240)
  saw(`needs ${always.length} fields and a photo id, and our form has them all`)

  const { identifying_information, ...withoutPapers } = whole
  const missing = await missingOf(api, { externalUserId, application: withoutPapers })
  assert.ok(missing.includes('government_id_verification') && missing.includes('tax_identification_number'))
  saw(`a try without papers tells what is missing: ${missing.join(', ')}`)

  const applicant: Applicant = { externalUserId, application: whole }
  const open = await missingOf(api, applicant)
  assert.ok(open.every((requirement) => requirement.startsWith('terms_of_service_')))
  saw('a try with them leaves the terms alone')

  const early = await api.virtualAccounts.create({
    externalUserId,
    source: { currency: 'mxn' },
    destination: { payment_rail: 'polygon', currency: 'usdc', address: EVM_WALLET },
    developer_fee_percent: '0.25',
    onPendingKyc: 'wait',
  })
  assert.equal(early.status, 'pending')
  assert.equal(early.bankAccountNumber, '')
  saw('an MXN account is asked for before the approval, and waits for it')

  const states = await onboard(api, events, applicant)
  assert.deepEqual(
    states.map((state) => state.kycStatus),
    ['not_started', 'under_review', 'approved'],
  )
  const { usd, eur, mxn } = states.at(-1)?.rails ?? {}
  assert.deepEqual([usd, eur, mxn], ['active', 'active', 'active'])
  saw('terms accepted, data submitted, approved for every currency')

  const opened = await events.account(early.id, 'virtual_account.created')
  assert.equal(opened.status, 'active')
  assert.match(opened.bankAccountNumber, /^\d{18}$/)
  saw('the MXN account has opened by itself, and has its CLABE')
  return externalUserId
}
