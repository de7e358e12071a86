// What becomes of a link: closed half way, expired, opened a second time, another's, revoked while it is open, on a bad network.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, type OnboardingPage, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

describe('a link', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const ended = 'This page cannot be shown'
  const isShown = (page: OnboardingPage, name: string, timeout = 10_000) =>
    page.getByRole('heading', { name, level: 1 }).waitFor({ timeout })
  const begin = async (page: OnboardingPage) => {
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await isShown(page, 'Where you live')
  }

  test('says beforehand that nothing is kept, asks before it is closed half way, and begins again', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, phone)
    await page.getByText('Nothing you type is kept').waitFor()
    await begin(page)
    await fillUpTo(page, 'How to reach you', { country: 'USA' })
    const asked = page.waitForEvent('dialog')
    void page.close({ runBeforeUnload: true })
    const dialog = await asked
    assert.equal(dialog.type(), 'beforeunload')
    await dialog.accept()
    const again = await world.open(link.url, phone)
    await begin(again)
    await fillStep(again, { country: 'USA' })
    await goOn(again)
    assert.equal(await again.locator('[data-path="first_name"] input').inputValue(), '')
  })

  test('that has expired says so', async () => {
    const { link } = await world.applicant()
    await world.world.server.deps.db.statement(
      (query) => query`update onboarding_links set expires_at = now() - interval '1 second' where id = ${link.id}`,
    )
    const page = await world.open(link.url)
    await isShown(page, ended)
    await page.getByText('This link has expired').waitFor()
  })

  test('opened a second time goes on there, and the first page says so', async () => {
    const { link } = await world.applicant()
    const first = await world.open(link.url)
    await begin(first)
    const second = await world.open(link.url)
    await isShown(second, 'Let us verify you')
    await fillStep(first, { country: 'USA' })
    await first.locator('.actions .primary').click()
    await isShown(first, ended)
    await first.getByText('This page was opened elsewhere').waitFor()
    await begin(second)
  })

  test('of another end-user or of another service opens nothing', async () => {
    const [mine, other] = [await world.applicant(), await world.applicant()]
    const [, code = ''] = other.link.url.split('#')
    const changed = code.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))
    for (const wrong of ['', 'x', changed, world.world.facts.apiKey, `${code}${code}`]) {
      const page = await world.open(`${mine.link.url.split('#')[0]}#${wrong}`)
      await isShown(page, ended)
      await page.context().close()
    }
  })

  test('that is revoked while it is open ends the page, and what was typed goes nowhere', async () => {
    const { externalUserId, link } = await world.applicant()
    const page = await world.open(link.url)
    await begin(page)
    await fillUpTo(page, 'Is this right?', { country: 'USA', subdivision: 'CA' })
    await world.world.call('DELETE', `/v0/onboarding-links/${link.id}`)
    await button(page, 'Send').click()
    await isShown(page, ended)
    const user = await world.world.call('GET', `/v0/end-users/${externalUserId}`)
    assert.equal(user.body.data.providerCustomerId, null)
  })

  test('that is revoked ends a page that only waits as well', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url)
    await isShown(page, 'Let us verify you')
    await world.world.call('DELETE', `/v0/onboarding-links/${link.id}`)
    await isShown(page, ended, 5_000)
  })

  test('on a network that fails: what was typed stays, and goes when the network is back', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, phone)
    await begin(page)
    await fillUpTo(page, 'Is this right?', { country: 'USA', subdivision: 'CA' })
    await page.context().setOffline(true)
    await button(page, 'Send').click()
    await page.locator('[role=status]').waitFor()
    await page.context().setOffline(false)
    await isShown(page, 'All done', 30_000)
  })
})
