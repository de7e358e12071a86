// A rejection: its reasons are shown to the end-user, who sends better pictures and is approved.

import assert from 'node:assert/strict'
import { onboard } from '../onboarding.ts'
import { frenchTaxId, marie, passport } from './people.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function rejection({ api, events, idOf, emailOf }: World): Promise<void> {
  chapter('A rejection')
  const externalUserId = idOf('irene')
  const email = emailOf('irene', 'reject') // the sandbox rejects a person with this address once
  await api.endUsers.create({ externalUserId, email, type: 'individual' })

  const states = await onboard(api, events, {
    externalUserId,
    application: { ...marie(email), first_name: 'Irène' },
    correct: async (fields, endUser) => {
      const links = await api.kyc.links(externalUserId)
      assert.equal(endUser.kycStatus, 'rejected')
      assert.ok(links.rejectionReasons.length > 0)
      saw(`refused: “${links.rejectionReasons.join('” “')}”`)
      for (const { reason } of links.requirements.errors) saw(`what to do: “${reason}”`)

      assert.deepEqual(fields, ['identifying_information'])
      return { identifying_information: [frenchTaxId, passport('98ZY76543')] }
    },
  })
  assert.deepEqual(
    states.map((state) => state.kycStatus),
    ['not_started', 'under_review', 'rejected', 'under_review', 'approved'],
  )
  saw('sent again, and approved')
}
