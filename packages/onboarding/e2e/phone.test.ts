// From a computer to the phone: the link as a code in the page. The phone continues with nothing stored and no second sign-in, and the
// computer says so.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'
import { lacking } from '../../../scripts/test-needs.ts'
import { acceptInFrame, fillUpTo } from './driver.ts'
import {
  button,
  desk,
  heading,
  type OnboardingPage,
  type OnboardingWorld,
  onboardingWorld,
  phone,
} from './onboarding-world.ts'

describe('on a computer', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const offer = 'Continue on your phone'
  const warning = 'What you have entered here is not transferred'
  const isShown = (page: OnboardingPage, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

  test('the code is that of the link, and the page ends when the phone has opened it', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, desk)
    await button(page, offer).click()
    const code = page.getByRole('img', { name: 'QR code of your link' })
    await code.waitFor()
    assert.equal(await code.locator('path').getAttribute('d'), toSvgPath(generate(link.url)))
    assert.equal(await page.getByText(warning).count(), 0, 'nothing was typed yet')
    const onPhone = await world.open(link.url, phone)
    assert.equal(await button(onPhone, offer).count(), 0)
    await button(onPhone, 'Begin').click()
    await acceptInFrame(onPhone)
    await isShown(page, offer)
    await page.getByText('Your link is open on another device').waitFor()
    assert.deepEqual(onPhone.faults, [])
    await button(page, 'Continue here instead').click()
    await isShown(page, 'Verify your identity')
    await isShown(onPhone, 'This page is not available')
    await button(onPhone, 'Open the link again').click()
    await isShown(onPhone, 'Verify your identity')
  })

  test('the step of the photo offers the phone, and says first that what was typed is not transferred', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, desk)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, 'A photo of your identity document', { country: 'DEU', subdivision: '' })
    await page.locator('[data-path="photo_id.type"] select').selectOption('passport')
    await button(page, offer).click()
    await page.getByText(warning).waitFor()
    await button(page, 'Hide the code').click()
    assert.equal(await heading(page), 'A photo of your identity document')
  })
})
