// Nothing that an applicant types or photographs is left anywhere: not in the database, the log, the browser's profile, an address,
// or what a browser tells others about where it comes from.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import { browserOptions } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { canaryPrefix, searchDatabaseFiles, searchFiles } from '../../server/test/canary-search.ts'
import { acceptInFrame, fillUpTo } from './driver.ts'
import { type OnboardingWorld, onboardingWorld } from './onboarding-world.ts'
import { pictureCanary } from './papers.ts'

describe('what an applicant sends', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  let profile: string
  before(async () => {
    world = await onboardingWorld()
    profile = await mkdtemp(join(tmpdir(), 'causeway-profile-'))
  })
  after(async () => {
    await world.stop()
    await rm(profile, { recursive: true, force: true })
  })

  test('is nowhere afterwards', async (t) => {
    const context = await chromium.launchPersistentContext(profile, browserOptions)
    t.after(() => context.close())
    const seen: string[] = []
    const listen = (page: Page): void => {
      page.on('request', (sent) => seen.push(sent.url(), JSON.stringify(sent.headers())))
      page.on('framenavigated', (frame) => seen.push(frame.url()))
    }
    context.on('page', listen)
    const page = await context.newPage()
    const { externalUserId, link } = await world.applicant({ redirectUri: `${world.world.url}/readyz` })
    await page.goto(link.url)
    await page.getByRole('button', { name: 'Begin' }).click()
    await acceptInFrame(page)
    // Names, address, number and the start of the email address carry the mark; the picture carries another one.
    const marked = {
      email: `${canaryPrefix}-${externalUserId}+reject@example.com`,
      'tax_id.type': 'other',
      'tax_id.number': `${canaryPrefix}1234`,
    }
    await fillUpTo(page, 'Is this right?', { ...marked, country: 'DEU' })
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'A photo of your identity document', level: 1 }).waitFor()
    await fillUpTo(page, 'Is this right?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'You are verified' }).waitFor()
    const stores = await page.evaluate<unknown[]>(
      '(async () => [localStorage.length, sessionStorage.length, document.cookie, (await indexedDB.databases()).length, (await caches.keys()).length])()',
    )
    assert.deepEqual(stores, [0, 0, '', 0, 0])
    assert.deepEqual(await context.cookies(), [])
    await page.getByRole('link', { name: /^Back to/ }).click()
    await page.waitForURL(/onboarding=approved/)
    await context.close()

    const pattern = new RegExp(`${canaryPrefix}|${pictureCanary}`, 'gi')
    assert.deepEqual(
      seen.filter((text) => pattern.test(text)),
      [],
      'addresses and headers',
    )
    assert.ok(
      seen.some((text) => text.includes('/onboard/api/submission')),
      'the requests were listened to',
    )
    assert.deepEqual(
      world.world.log.filter((line) => pattern.test(line)),
      [],
      'the log',
    )
    const inProfile = await searchFiles(profile, pattern)
    assert.ok(inProfile.files > 20, 'the profile was searched')
    assert.deepEqual(inProfile.hits, [])
    const link16 = Buffer.from(canaryPrefix, 'utf16le').toString('latin1')
    assert.deepEqual((await searchFiles(profile, new RegExp(link16, 'g'))).hits, [], 'in UTF-16')
    const inDatabase = await searchDatabaseFiles(world.world.database, pattern)
    assert.ok(inDatabase.files > 100, 'the database was searched')
    assert.deepEqual(inDatabase.hits, [])
    const events = await until('the event', async () => {
      const listed = await world.world.business.call(
        'GET',
        `/v0/events?externalUserId=${externalUserId}&eventType=end_user.onboarding.completed`,
      )
      return listed.body.data.length > 0 && listed.text
    })
    assert.ok(!pattern.test(events))
  })
})
