// A passport that was not sent, and then one that has expired: what the API asks for decides what is sent again.

import assert from 'node:assert/strict'
import { onboard } from '../onboarding.ts'
import { frenchTaxId, marie, passport } from './people.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function missingDocument({ api, events, idOf, emailOf }: World): Promise<void> {
  chapter('A document that is missing, then one that has expired')
  const externalUserId = idOf('eve')
  const email = emailOf('eve', 'document') // the emulator finds the first document that it judges expired
  await api.endUsers.create({ externalUserId, email, type: 'individual' })

  const asked: string[] = []
  const states = await onboard(api, events, {
    externalUserId,
    application: { ...marie(email), first_name: 'Eve', identifying_information: [frenchTaxId] },
    correct: (fields, { requirements }) => {
      const [problem] = requirements.errors
      if (problem) saw(`${problem.requirement}: “${problem.reason}”`)
      else saw(`missing: ${requirements.currentlyDue.join(', ')}`)
      asked.push(problem?.code ?? requirements.currentlyDue.join())

      const drawer = { identifying_information: [passport(problem ? '77NEW7777' : '11OLD1111')] }
      return Object.fromEntries(Object.entries(drawer).filter(([field]) => fields.includes(field)))
    },
  })
  assert.deepEqual(asked, ['government_id_verification', 'id_expired'])
  assert.deepEqual(
    states.map((state) => state.kycStatus),
    ['not_started', 'action_required', 'under_review', 'action_required', 'under_review', 'approved'],
  )
  saw('the passport, then a newer one, and approved')
}
