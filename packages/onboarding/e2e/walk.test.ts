// From a link to an approval, as people walk it: each is refused once on the way, or asked for a paper, and corrects it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { type Answers, acceptInFrame, acceptInWindow, fillUpTo, goOn, shoot } from './driver.ts'
import { button, desk, type OnboardingPage, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

const review = 'Is this right?'

describe('from a link to an approval', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const isShown = (page: OnboardingPage, name: string) =>
    page
      .getByRole('heading', { name, level: 1 })
      .waitFor({ timeout: 8_000 })
      .catch(async (error: unknown) => {
        throw new Error((await page.locator('h1, .problem').allInnerTexts()).join(' | '), { cause: error })
      })
  const send = async (page: OnboardingPage, next: string) => {
    await button(page, 'Send').click()
    await isShown(page, next)
  }
  const assertApproved = async (page: OnboardingPage, externalUserId: string, rail: string) => {
    await isShown(page, 'verified')
    assert.deepEqual(page.faults, [])
    const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
    assert.deepEqual([user.body.data.kycStatus, user.body.data.rails[rail]], ['approved', 'active'])
    const links = await world.world.business.call('GET', `/v0/end-users/${externalUserId}/onboarding-links`)
    assert.equal(links.body.data[0].status, 'completed')
  }
  const mailed = (externalUserId: string, verdict: string): Answers => ({
    email: `${externalUserId}+${verdict}@example.com`,
  })

  test('a person in the USA, on a phone, rejected for an unclear document', async () => {
    const { externalUserId, link } = await world.applicant({ rails: ['usd'] })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, review, { ...mailed(externalUserId, 'reject'), country: 'USA', subdivision: 'CA' })
    await send(page, 'A photo of your identity document')
    await page.getByText('not clear').waitFor()
    assert.deepEqual(await fillUpTo(page, review), ['A photo of your identity document'])
    await send(page, 'You are verified')
    await assertApproved(page, externalUserId, 'usd')
  })

  test('a person in Germany, on a desk, with the terms in a window, asked for a valid document', async () => {
    const { externalUserId, link } = await world.applicant({ rails: ['eur'] })
    const page = await world.open(link.url, desk)
    await button(page, 'Begin').click()
    await acceptInWindow(page)
    await fillUpTo(page, review, { ...mailed(externalUserId, 'document'), country: 'DEU' })
    await send(page, 'A photo of your identity document')
    await page.getByText('has expired').waitFor()
    await fillUpTo(page, review)
    await send(page, 'You are verified')
    await assertApproved(page, externalUserId, 'eur')
  })

  test('a person in Mexico, on a phone, with the camera, asked where the money comes from', async () => {
    const { externalUserId, link } = await world.applicant({ rails: ['mxn'], locale: 'en' })
    const page = await world.open(link.url, { ...phone, permissions: ['camera'] })
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    const answers = { ...mailed(externalUserId, 'questionnaire'), country: 'MEX' }
    await fillUpTo(page, 'A photo of your identity document', answers)
    await page.locator('[data-path="photo_id.type"] select').selectOption('passport')
    await page.locator('[data-path="photo_id.issuing_country"] select').selectOption('MEX')
    await shoot(page, 'photo_id.image_front')
    await goOn(page)
    await fillUpTo(page, review, answers)
    await send(page, 'A few more questions')
    await fillUpTo(page, review)
    await send(page, 'You are verified')
    await assertApproved(page, externalUserId, 'mxn')
  })

  test('a company with two owners, one of whom is asked for a proof of address', async () => {
    const { externalUserId, link } = await world.applicant({ type: 'business', rails: ['usd'] })
    const page = await world.open(link.url, desk)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    const company = { ...mailed(externalUserId, 'ownerdocument'), country: 'USA', subdivision: 'CA' }
    await fillUpTo(page, 'Owners and managers', company)
    for (const [action, person] of [
      ['Add a person', { first_name: 'Grace', country: 'USA', subdivision: 'CA', 'photo_id.type': 'drivers_license' }],
      [
        'Add another person',
        { first_name: 'Linus', country: 'DEU', 'photo_id.type': 'national_id', has_control: false, is_signer: false },
      ],
    ] as const) {
      await button(page, action).click()
      await fillUpTo(page, 'Owners and managers', person)
    }
    await goOn(page)
    assert.equal(
      await page.locator('.review img').count(),
      2 + 2 + 2,
      'two papers, and two photos of each of two people',
    )
    const { promise: namesMayCome, resolve: letNamesCome } = Promise.withResolvers<void>()
    await page.route('**/hosted', (route) => namesMayCome.then(() => route.continue()))
    await send(page, 'Role in the company')
    assert.equal(await page.locator('main > p.soft').innerText(), 'Person 1', 'until the email address is read')
    letNamesCome()
    const asked = await until('whose paper is asked for', async () => {
      const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
      return user.body.data.requirements.associatedPersons[0]
    })
    assert.ok(asked)
    await fillUpTo(page, review, {
      country: 'USA',
      subdivision: 'CA',
      // It is loaded separately from the questions, so it may come a moment later.
      email: await page.locator('main > .soft', { hasText: '@' }).innerText(),
    })
    await send(page, 'Your company is verified')
    await assertApproved(page, externalUserId, 'usd')
  })
})
