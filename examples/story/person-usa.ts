// A person in the USA, with the two sides of a driver's license as files.

import assert from 'node:assert/strict'
import { type Applicant, missingOf, onboard } from '../onboarding.ts'
import { png } from '../png.ts'
import { grace } from './people.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function personUsa({ api, events, idOf, emailOf }: World): Promise<void> {
  chapter('A person in the USA')
  const externalUserId = idOf('grace')
  const email = emailOf('grace')
  await api.endUsers.create({ externalUserId, email, type: 'individual' })

  const { identityDocuments } = await api.kyc.requirements({ country: 'USA' })
  assert.ok(identityDocuments.taxId.types.includes('ssn'))
  assert.equal(identityDocuments.photoId.required, false)
  saw('needs a social security number; a photo id raises the limits')

  const side = new Blob([new Uint8Array(png(300))], { type: 'image/png' })
  const applicant: Applicant = {
    externalUserId,
    application: grace(email),
    files: { 'identifying_information[1].image_front': side, 'identifying_information[1].image_back': side },
  }
  assert.deepEqual(await missingOf(api, applicant), ['terms_of_service_v1'])
  const states = await onboard(api, events, applicant)
  assert.equal(states.at(-1)?.kycStatus, 'approved')
  saw('license sent as two files, approved')
}
