// Back and Forward move between the steps, in the page and in a frame. Input is only in memory: a reload starts over.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { type Answers, acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import {
  button,
  heading,
  type OnboardingPage,
  type OnboardingWorld,
  onboardingWorld,
  phone,
} from './onboarding-world.ts'

const inUsa: Answers = { country: 'USA', subdivision: 'CA', first_name: 'Ada' }
const steps = ['Where you live', 'About you', 'How to reach you']

describe('the history of the browser', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const isShown = async (page: OnboardingPage, name: string) => {
    const shown = page.getByRole('heading', { name, level: 1 }).waitFor({ timeout: 8_000 })
    assert.ok(await shown.then(() => true).catch(() => false), `${name} is not shown`)
  }
  const begun = async (type = 'individual') => {
    const { externalUserId, link } = await world.applicant({ type })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    return { page, externalUserId, link }
  }
  const back = (page: OnboardingPage) => page.evaluate('history.back()')
  const forward = (page: OnboardingPage) => page.evaluate('history.forward()')
  const typed = (page: OnboardingPage) => page.locator('[data-path="first_name"] input').inputValue()

  test('has one entry per step, with nothing typed in it, and Back leaves the page at the first', async () => {
    const { page, link } = await begun()
    assert.deepEqual(await fillUpTo(page, 'Your address', inUsa), steps)
    const entry = await page.evaluate<object>('history.state')
    assert.deepEqual(
      Object.values(entry).map((value) => typeof value),
      ['number', 'number'],
    )
    assert.equal(page.url(), link.url)
    for (const step of steps.toReversed()) {
      await back(page)
      await isShown(page, step)
    }
    for (const step of steps.slice(1)) {
      await forward(page)
      await isShown(page, step)
    }
    await button(page, 'Back').click()
    await isShown(page, 'About you')
    assert.equal(await typed(page), 'Ada')
    for (const step of ['Where you live', 'Verify your identity']) {
      await back(page)
      await isShown(page, step)
    }
    await button(page, 'Begin').click()
    await isShown(page, 'Where you live')
    await back(page)
    await isShown(page, 'Verify your identity')
    const asked = page.waitForEvent('dialog')
    await back(page).catch(() => {}) // the page is left
    await (await asked).accept()
    await page.waitForURL('about:blank')
    assert.deepEqual(page.faults, [])
  })

  test('a reload starts over and says so, and Back leaves the page from there', async () => {
    const { page } = await begun()
    await fillUpTo(page, 'How to reach you', inUsa)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await isShown(page, 'Verify your identity')
    await page.getByText('You reloaded this page').waitFor()
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await back(page)
    await isShown(page, 'Verify your identity')
    await back(page)
    await page.waitForURL('about:blank')
  })

  test('another country takes the steps behind it out of the history', async () => {
    const { page } = await begun()
    await fillUpTo(page, 'How to reach you', inUsa)
    for (const step of ['About you', 'Where you live']) {
      await back(page)
      await isShown(page, step)
    }
    await fillStep(page, { country: 'DEU' })
    await forward(page)
    await page.waitForTimeout(300)
    assert.equal(await heading(page), 'Where you live')
    await goOn(page)
    assert.equal(await typed(page), 'Ada')
  })

  test('a person who was removed is not come back to', async () => {
    const { page } = await begun('business')
    await fillUpTo(page, 'Owners and managers', inUsa)
    await button(page, 'Add a person').click()
    await fillUpTo(page, 'Owners and managers', inUsa)
    await page.getByRole('button', { name: /^Remove/ }).click()
    await back(page)
    await page.waitForTimeout(500)
    assert.equal(await heading(page), 'Owners and managers')
    await back(page)
    await isShown(page, 'Source of funds')
  })

  test('while the submission is sent the page stays, and afterwards Back leaves it', async () => {
    const { page, externalUserId } = await begun()
    await fillUpTo(page, 'Is this right?', { ...inUsa, email: `${externalUserId}+review@example.com` })
    const held = Promise.withResolvers<void>()
    await page.route('**/onboard/api/submission', (route) => held.promise.then(() => route.continue()))
    await button(page, 'Send').click()
    await back(page)
    await page.waitForTimeout(300)
    assert.equal(await heading(page), 'Is this right?')
    held.resolve()
    await isShown(page, 'We are checking your details')
    await back(page)
    await page.waitForURL('about:blank')
  })

  test('the long poll does not end a submission before its own response: Back would be held', async () => {
    const { page, externalUserId } = await begun()
    await fillUpTo(page, 'Is this right?', { ...inUsa, email: `${externalUserId}+review@example.com` })
    const held = Promise.withResolvers<void>()
    const known = page.waitForResponse(
      async (response) => /known=/.test(response.url()) && /"kind":"wait"/.test(await response.text()),
    )
    await page.route(/\/onboard\/api\/state$/, (route) => held.promise.then(() => route.continue()))
    await button(page, 'Send').click()
    await known
    await page.waitForTimeout(300)
    assert.equal(await heading(page), 'Is this right?')
    held.resolve()
    await isShown(page, 'We are checking your details')
    await back(page)
    await page.waitForURL('about:blank')
  })
})
