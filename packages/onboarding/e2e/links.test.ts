// States of a link: closed half way, expired, opened a second time, another's, revoked while it is open, on a bad
// network.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { kycBody } from '../../server/test/people.ts'
import { acceptInFrame, acceptInWindow, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, type OnboardingPage, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'
import { pdfOf } from './papers.ts'

describe('a link', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const ended = 'This page is not available'
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
    await page.getByText('We do not save what you enter').waitFor()
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
    await world.world.rows`update onboarding_links set expires_at = now() - interval '1 second' where id = ${link.id}`
    const page = await world.open(link.url)
    await isShown(page, ended)
    await page.getByText('This link has expired').waitFor()
  })

  test('opened a second time goes on there, and the first page says so', async () => {
    const { link } = await world.applicant()
    const first = await world.open(link.url)
    await begin(first)
    const second = await world.open(link.url)
    await isShown(second, 'Verify your identity')
    await isShown(first, ended)
    await first.getByText('Your session ended').waitFor()
    await begin(second)
  })

  test('that cannot be looked up says so, and can be tried again', async () => {
    const { link } = await world.applicant()
    const page = await world.open('about:blank', phone)
    let isBroken = true
    await page.route('**/onboard/api/page', (route) =>
      isBroken
        ? route.fulfill({ status: 500, json: { error: { code: 'internal_error', requestId: 'req_1' } } })
        : route.continue(),
    )
    await page.goto(link.url)
    await isShown(page, ended)
    await page.getByText('req_1').waitFor()
    isBroken = false
    await button(page, 'Try again').click()
    await isShown(page, 'Verify your identity')
  })

  test('whose questions cannot be read says so, and can be tried again', async () => {
    const { externalUserId, link } = await world.applicant()
    const body = kycBody(await world.world.business.acceptTerms(externalUserId), `${externalUserId}+reject`)
    await world.world.business.call('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
    await until('the rejection', async () => {
      const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
      return user.body.data.kycStatus === 'rejected'
    })
    const page = await world.open('about:blank', phone)
    let isBroken = true
    await page.route('**/onboard/api/requirements?*', (route) =>
      isBroken
        ? route.fulfill({ status: 500, json: { error: { code: 'internal_error', requestId: 'req_2' } } })
        : route.continue(),
    )
    await page.goto(link.url)
    await page.getByText('req_2').waitFor()
    isBroken = false
    await button(page, 'Try again').click()
    await isShown(page, 'A photo of your identity document')
  })

  test('of another end-user or of another service opens nothing', async () => {
    const [mine, other] = [await world.applicant(), await world.applicant()]
    const [, code = ''] = other.link.url.split('#')
    const changed = code.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))
    for (const wrong of ['', 'x', changed, world.world.business.apiKey, `${code}${code}`]) {
      const page = await world.open(`${mine.link.url.split('#')[0]}#${wrong}`)
      await isShown(page, ended)
      await page.context().close()
    }
  })

  test('that was damaged on its way says so', async () => {
    const { link } = await world.applicant()
    const [address = '', code = ''] = link.url.split('#')
    for (const damaged of [`${address}%23${code}`, `${address}${code}`, `${address}%2523${code}?utm=1`, address]) {
      const page = await world.open(damaged, phone)
      await isShown(page, ended)
      await page.getByText('This link is incomplete or was changed').waitFor()
      assert.equal(page.faults.filter((fault) => !fault.includes('404')).length, 0)
      await page.context().close()
    }
  })

  test('that is revoked while it is open ends the page, and what was typed goes nowhere', async () => {
    const { externalUserId, link } = await world.applicant()
    const page = await world.open(link.url)
    await begin(page)
    await fillUpTo(page, 'Is this right?', { country: 'USA', subdivision: 'CA' })
    await world.world.business.call('DELETE', `/v0/onboarding-links/${link.id}`)
    await isShown(page, ended)
    assert.equal(await button(page, 'Send').count(), 0)
    const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
    assert.equal(user.body.data.providerCustomerId, null)
  })

  test('that is revoked ends a page that only waits as well', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url)
    await isShown(page, 'Verify your identity')
    await world.world.business.call('DELETE', `/v0/onboarding-links/${link.id}`)
    await isShown(page, ended, 5_000)
  })

  test('on a network that loses a response: a large paper is sent again as a whole, and submitted once', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, phone)
    await begin(page)
    await fillUpTo(page, 'A photo of your identity document', { country: 'DEU' })
    await page.locator('[data-path="photo_id.type"] select').selectOption('passport')
    const input = page.locator('[data-path="photo_id.image_front"] input[type=file]')
    await input.setInputFiles({ name: 'passport.pdf', mimeType: 'application/pdf', buffer: pdfOf(3 * 1024 * 1024) })
    await goOn(page)
    await fillUpTo(page, 'Is this right?', { country: 'DEU' })
    const keys: (string | undefined)[] = []
    const replayed: (string | undefined)[] = []
    await page.route('**/onboard/api/submission', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length === 1) return await route.abort('connectionreset')
      const response = await route.fetch()
      replayed.push(response.headers()['idempotent-replayed'])
      return keys.length === 2 ? await route.abort('connectionreset') : await route.fulfill({ response })
    })
    await button(page, 'Send').click()
    await isShown(page, 'You are verified', 60_000)
    assert.ok(keys.length >= 2 && keys[0] !== undefined, `${keys.length} tries`)
    assert.equal(new Set(keys).size, 1)
    assert.equal(replayed.filter((header) => header !== 'true').length, 1)
  })

  test('on a slow network: the page shows how much of the submission is sent', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, phone)
    await begin(page)
    const answers = { country: 'DEU', subdivision: '' }
    await fillUpTo(page, 'A photo of your identity document', answers)
    await page.locator('[data-path="photo_id.type"] select').selectOption('passport')
    const input = page.locator('[data-path="photo_id.image_front"] input[type=file]')
    await input.setInputFiles({ name: 'passport.pdf', mimeType: 'application/pdf', buffer: pdfOf(2 * 1024 * 1024) })
    await goOn(page)
    await fillUpTo(page, 'Is this right?', answers)
    await page.evaluate(`window.parts = []
      new MutationObserver(() => {
        const bar = document.querySelector('main progress')
        if (bar) parts.push(bar.value)
      }).observe(document.body, { subtree: true, childList: true, attributes: true })`)
    const session = await page.context().newCDPSession(page)
    const line = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 1024 * 1024 }
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', line)
    await button(page, 'Send').click()
    await isShown(page, 'You are verified', 30_000)
    const parts = await page.evaluate<number[]>('parts')
    assert.ok(parts.filter((part) => part > 0 && part < 1).length >= 3, `${parts}`)
    assert.deepEqual(
      parts,
      parts.toSorted((one, other) => one - other),
    )
  })

  test('takes the agreement by the way back where the terms may not be framed and send no message', async () => {
    const strict = await onboardingWorld({ sandbox: { embedOrigins: ['https://elsewhere.example'] } })
    try {
      const { externalUserId, link } = await strict.applicant()
      const page = await strict.open(link.url, phone)
      await button(page, 'Begin').click()
      await acceptInWindow(page)
      await fillUpTo(page, 'Is this right?', { country: 'USA', subdivision: 'CA' })
      await button(page, 'Send').click()
      await isShown(page, 'You are verified')
      const user = await strict.world.business.call('GET', `/v0/end-users/${externalUserId}`)
      assert.equal(user.body.data.tosStatus, 'approved')
    } finally {
      await strict.stop()
    }
  })

  test('leads to the provider’s own page for what no form can send, and goes on by itself', async () => {
    const { externalUserId } = await world.applicant()
    const agreement = await world.world.business.acceptTerms(externalUserId)
    const body = { ...kycBody(agreement, externalUserId), endorsements: ['base'] }
    await world.world.business.call('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
    await until('the approval', async () => {
      const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
      return user.body.data.kycStatus === 'approved'
    })
    const page = await world.open((await world.linkFor(externalUserId, { rails: ['eur'] })).url)
    await isShown(page, 'One more step')
    await button(page, 'Continue').click()
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Go to the page' }).click()
    await (await opened).locator('#finish').click()
    await isShown(page, 'You are verified')
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
    await isShown(page, 'You are verified', 30_000)
  })
})
