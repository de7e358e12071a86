// The page acts on what it shows: a check belongs to the value that it judged, a photo that is shown is the one that is sent, and a
// lost connection is said at once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { lacking } from '../../../scripts/test-needs.ts'
import { acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, type OnboardingPage, type OnboardingWorld, onboardingWorld } from './onboarding-world.ts'
import { darkPicture, paperPicture } from './papers.ts'

describe('what is shown is what is sent', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  let page: OnboardingPage
  before(async () => {
    world = await onboardingWorld()
    const { link } = await world.applicant({ rails: ['usd'] })
    page = await world.open(link.url)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
  })
  after(() => world.stop())

  const field = (path: string) => page.locator(`[data-path="${path}"]`)
  const comes = async (locator: Locator, timeout = 10_000) =>
    assert.ok(
      await locator.waitFor({ timeout }).then(
        () => true,
        () => false,
      ),
      `${locator} is not shown`,
    )

  test('a check that comes late says nothing of a value that was typed since', async () => {
    await fillUpToField('email', { country: 'USA', subdivision: 'CA' })
    const held = Promise.withResolvers<void>()
    await page.route('**/submission?dryRun=true', (route) => held.promise.then(() => route.continue()))
    const email = field('email').locator('input')
    const sent = page.waitForRequest('**/submission?dryRun=true')
    await email.fill('ada(at)example.com')
    await email.blur()
    await sent
    await email.fill('ada@example.com')
    const checked = page.waitForResponse('**/submission?dryRun=true')
    held.resolve()
    await checked
    await page.unroute('**/submission?dryRun=true')
    await page.waitForTimeout(500)
    assert.equal(await field('email').locator('.problem').count(), 0)
    await email.fill('ada(at)example.com')
    await email.blur()
    await comes(field('email').locator('.problem'))
  })

  test('without a connection the page says so within two seconds, and nothing typed is lost', async () => {
    const words = page.getByText('There is no connection.')
    const connect = async () => {
      await page.context().setOffline(false)
      await words.waitFor({ state: 'detached' })
    }
    try {
      await page.context().setOffline(true)
      await comes(words, 2_000)
      await page.locator('.actions .primary').click()
    } finally {
      await connect()
    }
    assert.equal(await field('email').locator('input').inputValue(), 'ada(at)example.com')
  })

  test('a response to a request from before the connection was lost does not say that it is back', async () => {
    const held = Promise.withResolvers<void>()
    await page.route('**/submission?dryRun=true', (route) => held.promise.then(() => route.fulfill({ status: 503 })))
    const email = field('email').locator('input')
    const sent = page.waitForRequest('**/submission?dryRun=true')
    await email.fill('ada@example.org')
    await email.blur()
    await sent
    const words = page.getByText('There is no connection.')
    await page.context().setOffline(true)
    try {
      await comes(words, 2_000)
      const late = page.waitForResponse('**/submission?dryRun=true')
      held.resolve()
      await late
      await page.waitForTimeout(300)
      assert.ok(await words.isVisible())
    } finally {
      await page.context().setOffline(false)
      await page.unroute('**/submission?dryRun=true')
    }
    await words.waitFor({ state: 'detached' })
    await email.fill('ada@example.com')
  })

  test('a photo that is replaced by one in doubt is not sent in its place', async () => {
    const photo = 'A photo of your identity document'
    await fillUpTo(page, photo, { country: 'USA', subdivision: 'CA' })
    await field('photo_id.type').locator('select').selectOption('passport')
    const front = field('photo_id.image_front')
    const choose = (picture: ReturnType<typeof paperPicture>) =>
      front.locator('input[type=file]').setInputFiles(picture)
    await choose(paperPicture())
    await front.locator('.preview').waitFor()
    await choose(darkPicture())
    await button(page, 'Use it anyway').waitFor()
    await page.locator('.actions .primary').click()
    await page.waitForTimeout(500)
    assert.equal(await page.locator('h1').innerText(), photo)
    await button(page, 'Use it anyway').click()
    await goOn(page)
    assert.notEqual(await page.locator('h1').innerText(), photo)
  })

  /** Fills in every step before the one that asks for this. */
  async function fillUpToField(path: string, answers: Record<string, string>): Promise<void> {
    for (let steps = 0; (await field(path).count()) === 0; steps++) {
      assert.ok(steps < 20, `no step asks for ${path}`)
      await fillStep(page, answers)
      await goOn(page)
    }
  }
})
