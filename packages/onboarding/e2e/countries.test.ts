// The form of every country: it renders, and the example of a person who lives there is approved. `npm run nightly` walks all of
// them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isNightly, lacking } from '../../../scripts/test-needs.ts'
import { countryCodes } from '../../forms/src/countries/codes.ts'
import { countriesIn } from '../src/parts/countries.ts'
import { acceptInFrame, fillUpTo, goOn, reachEnd } from './driver.ts'
import { inventedFor } from './invented.ts'
import { type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

test('the page knows every country that the service knows, by a name', () => {
  const known = countriesIn('en')
  assert.deepEqual(known.map(({ value }) => value).sort(), [...countryCodes.keys()].sort())
  for (const { value, label } of known) assert.notEqual(label, value)
})

const skip = lacking('browser') || lacking('onboarding') || (!isNightly && 'of every country: npm run nightly -- test')

describe('the form of', { skip }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld({ env: { KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
  })
  after(() => world.stop())

  for (const [seed, country] of [...countryCodes.keys()].sort().entries())
    test(`a person in ${country}`, async () => {
      const { externalUserId, link } = await world.applicant({ rails: ['usd'] })
      const page = await world.open(link.url, phone)
      await page.locator('.actions .primary').click()
      await acceptInFrame(page)
      await fillUpTo(page, 'Is this right?', inventedFor(country, seed))
      await goOn(page)
      await reachEnd(page, 'You are verified')
      assert.deepEqual(page.faults, [])
      const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
      assert.equal(user.body.data.kycStatus, 'approved')
      await page.context().close()
    })
})
