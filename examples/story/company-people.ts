// Two companies whose people were not enough: one more owner is asked for, and one more paper of an owner.

import assert from 'node:assert/strict'
import { onboard } from '../onboarding.ts'
import { engines, passport, photo } from './people.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function companyPeople(world: World): Promise<void> {
  chapter('Companies with more to say about their people')
  await oneMoreOwner(world)
  await oneMorePaper(world)
}

async function oneMoreOwner({ api, events, idOf, emailOf }: World): Promise<void> {
  const externalUserId = idOf('looms')
  const email = emailOf('looms', 'ubo')
  await api.endUsers.create({ externalUserId, email, type: 'business' })
  const application = engines(email)
  const states = await onboard(api, events, {
    externalUserId,
    application,
    correct: (fields) => {
      assert.deepEqual(fields, ['associated_persons'])
      // Send only new people: the provider keeps the others, and identifies each by email address.
      const [someone] = application.associated_persons ?? []
      const identifying_information = [
        { type: 'steuer_id', issuing_country: 'DEU', number: '55566677788' },
        passport('P3'),
      ]
      const email = 'joseph@engines.example.com'
      const joseph = { ...someone, first_name: 'Joseph', last_name: 'Jacquard', email, identifying_information }
      return { associated_persons: [{ ...joseph, has_control: false, is_signer: false, ownership_percentage: 30 }] }
    },
  })
  assert.equal(states.at(-1)?.kycStatus, 'approved')
  saw('one more owner, and approved')
}

async function oneMorePaper({ api, events, idOf, emailOf }: World): Promise<void> {
  const externalUserId = idOf('mills')
  const email = emailOf('mills', 'ownerdocument')
  await api.endUsers.create({ externalUserId, email, type: 'business' })
  const application = engines(email)
  const states = await onboard(api, events, {
    externalUserId,
    application,
    correct: async (_fields, { nextAction }) => {
      const { associatedPersons } = await api.kyc.links(externalUserId)
      const [asked] = nextAction.associatedPersons ?? []
      assert.deepEqual(asked?.fields, ['documents'])
      const email = associatedPersons.find(({ id }) => id === asked?.id)?.email
      saw(`${email?.split('@')[0]} is asked for a document`)
      const whom = application.associated_persons?.find((person) => person.email === email)
      return { associated_persons: [{ ...whom, documents: [{ purposes: ['proof_of_address'], file: photo() }] }] }
    },
  })
  assert.equal(states.at(-1)?.kycStatus, 'approved')
  saw('with that document, approved')
}
