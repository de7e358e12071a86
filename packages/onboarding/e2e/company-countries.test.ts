// The form of a company of every country: it renders, and the example of a company that is registered there is approved. `npm run
// nightly` walks all of them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isNightly, lacking } from '../../../scripts/test-needs.ts'
import { countryCodes } from '../../forms/src/countries/codes.ts'
import { acceptInFrame, fillUpTo, goOn, reachEnd } from './driver.ts'
import { inventedFor } from './invented.ts'
import { type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

const skip = lacking('browser') || lacking('onboarding') || (!isNightly && 'of every country: npm run nightly -- test')

describe('the form of', { skip }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  for (const [seed, country] of [...countryCodes.keys()].sort().entries())
    test(`a company in ${country}`, async () => {
      const { link } = await world.applicant({ type: 'business', rails: ['usd'] })
      const page = await world.open(link.url, phone)
      await page.locator('.actions .primary').click()
      await acceptInFrame(page)
      const answers = inventedFor(country, seed)
      await fillUpTo(page, 'Owners and managers', answers)
      await page.getByRole('button', { name: 'Add a person' }).click()
      await fillUpTo(page, 'Owners and managers', answers)
      await goOn(page)
      await goOn(page)
      await reachEnd(page, 'Your company is verified')
      assert.deepEqual(page.faults, [])
      await page.context().close()
    })
})
