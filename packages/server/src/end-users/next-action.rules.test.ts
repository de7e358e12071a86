// Proves when an open request for information decides the next action of a business.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionOfBusiness } from './next-action.rules.ts'
import type { KycStatus, NextAction, OpenInformationRequest } from './schema.rules.ts'

const request = (state: OpenInformationRequest['state']): OpenInformationRequest => ({
  id: 'ireq_1',
  state,
  deadline: null,
  actionTaken: null,
})
const under = (kycStatus: KycStatus, ...states: OpenInformationRequest['state'][]) => ({
  kycStatus,
  informationRequests: states.map(request),
})
const support: NextAction = { kind: 'contact_support', reason: 'information_requested' }

test('where nothing is left to do or only waiting is, the business contacts support, and learns why', () => {
  for (const kind of ['none', 'wait', 'contact_support'] as const)
    for (const status of ['approved', 'paused', 'under_review', 'action_required'] as const)
      assert.deepEqual(actionOfBusiness({ kind }, under(status, 'in_review', 'action_required')), support)
})

test('what the end-user can do comes first', () => {
  for (const kind of ['accept_tos', 'submit_kyc', 'resubmit_kyc', 'open_link'] as const)
    assert.deepEqual(actionOfBusiness({ kind }, under('approved', 'action_required')), { kind })
})

test('while the provider examines the response, and after a rejection or an offboarding, nothing changes', () => {
  assert.deepEqual(actionOfBusiness({ kind: 'none' }, under('approved', 'in_review')), { kind: 'none' })
  for (const status of ['rejected', 'offboarded'] as const)
    assert.deepEqual(actionOfBusiness({ kind: 'contact_support' }, under(status, 'action_required')), {
      kind: 'contact_support',
    })
})
