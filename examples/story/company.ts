// A company, with the papers and the people it needs.

import assert from 'node:assert/strict'
import { missingOf, onboard } from '../onboarding.ts'
import { engines } from './people.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function company({ api, events, idOf, emailOf }: World): Promise<void> {
  chapter('A company in Germany')
  const externalUserId = idOf('engines')
  const email = emailOf('engines')
  await api.endUsers.create({ externalUserId, email, type: 'business' })

  const needed = await api.kyc.requirements({ country: 'DEU', type: 'business' })
  assert.deepEqual(needed.documents.requiredPurposes, [
    'business_formation',
    'ownership_information',
    'evidence_of_good_standing',
    'proof_of_signatory_authority',
  ])
  saw(`needs papers for ${needed.documents.requiredPurposes.join(', ')}`)

  const { documents, associated_persons, ...bare } = engines(email)
  const missing = await missingOf(api, { externalUserId, application: bare })
  for (const requirement of [
    'control_person',
    'business_formation_document',
    'business_ownership_document',
    'evidence_of_good_standing',
    'proof_of_signatory_authority',
  ])
    assert.ok(missing.includes(requirement), `${requirement} should be missing`)
  saw('without papers and people, a try lists both')

  const states = await onboard(api, events, { externalUserId, application: engines(email) })
  assert.equal(states.at(-1)?.kycStatus, 'approved')
  saw('with four documents and two people, approved')
}
