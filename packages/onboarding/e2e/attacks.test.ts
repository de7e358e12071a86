// Hostile input and hostile sites: scripts in every field and in the branding, frames of others, requests of other sites, files that
// are not what they say.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, type OnboardingPage, type OnboardingWorld, onboardingWorld } from './onboarding-world.ts'
import { darkPicture, paperPicture, pdfOf, smallPicture } from './papers.ts'

const script = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`

describe('attacks', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const isHacked = (page: OnboardingPage) => page.evaluate<unknown>('window.hacked')
  const begin = async (page: OnboardingPage) => {
    await button(page, 'Begin').click()
    await acceptInFrame(page)
  }

  test('a script in every field is text: on the page, in the review, and in what is sent', async () => {
    const { externalUserId, link } = await world.applicant()
    const page = await world.open(link.url)
    await begin(page)
    const hostile = Object.fromEntries(
      [
        ...['first_name', 'middle_name', 'last_name', 'street_line_1', 'street_line_2', 'city', 'tax_id.number'],
        ...['place_of_birth.city', 'account_purpose_other'],
      ].map((name) => [name, script]),
    )
    const answers = { ...hostile, country: 'DEU', account_purpose: 'other', 'tax_id.type': 'other' }
    await fillUpTo(page, 'Is this right?', answers)
    assert.ok((await page.getByText(script).count()) >= 7)
    await button(page, 'Send').click()
    await page.getByRole('heading', { name: 'You are verified' }).waitFor()
    assert.equal(await isHacked(page), undefined)
    const user = await world.world.business.call('GET', `/v0/end-users/${externalUserId}`)
    assert.equal(user.body.data.kycStatus, 'approved')
  })

  test('a script in the branding is text', async () => {
    const set = await world.world.business.call('PUT', '/v0/branding', {
      name: script.slice(0, 80),
      supportEmail: `"><svg/onload=window.hacked=1>@example.com`,
      privacyUrl: `https://shop.example/?${encodeURIComponent(script)}"onclick="window.hacked=1`,
    })
    assert.equal(set.status, 200, set.text)
    const page = await world.open((await world.applicant()).link.url)
    await page.getByText(script.slice(0, 80)).first().waitFor()
    assert.equal(await isHacked(page), undefined)
    assert.equal(await page.locator('header img, header script, footer svg').count(), 0)
    for (const privacyUrl of ['javascript:alert(1)', 'data:text/html,x', 'http://shop.example/'])
      assert.equal((await world.world.business.call('PUT', '/v0/branding', { privacyUrl })).status, 400, privacyUrl)
    const svg = `data:image/svg+xml;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}`
    assert.equal((await world.world.business.call('PUT', '/v0/branding', { logo: svg })).status, 400)
    assert.equal((await world.world.business.call('PUT', '/v0/branding', {})).status, 200)
  })

  test('the policy of the page lets no script in but its own, and no site frame it', async () => {
    const { link } = await world.applicant()
    const [address = ''] = link.url.split('#')
    const { headers } = await fetch(address)
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((part) => part.split(/ (.*)/s).slice(0, 2)),
    )
    assert.equal(policy['default-src'], "'none'")
    assert.equal(policy['script-src'], "'self'")
    assert.equal(policy['style-src'], "'self'")
    assert.equal(policy['frame-ancestors'], "'self'")
    assert.equal(policy['form-action'], "'none'")
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('set-cookie'), null)
    // A link of nobody is sent the same page: who does not have the link learns nothing by asking.
    const none = await fetch(address.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')))
    assert.equal(none.status, 200)
    assert.equal(none.headers.get('content-security-policy'), headers.get('content-security-policy'))
  })

  test('another site can make a browser send nothing in the name of the applicant', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url)
    await button(page, 'Begin').waitFor()
    const stranger = await page.context().newPage()
    await stranger.route('https://stranger.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>hello' }),
    )
    await stranger.goto('https://stranger.example/').catch(() => {})
    const { baseUrl } = world.world.facts
    const outcome = await stranger.evaluate(
      async (base) =>
        Promise.all(
          ['/onboard/api/submission', '/onboard/api/terms', '/onboard/api/state'].map((path) =>
            fetch(base + path, {
              method: path.endsWith('state') ? 'GET' : 'POST',
              credentials: 'include',
              body: path.endsWith('state') ? null : '{}',
            }).then(
              () => 'read',
              () => 'refused',
            ),
          ),
        ),
      baseUrl,
    )
    assert.deepEqual(outcome, ['refused', 'refused', 'refused'])
    const sent = await fetch(`${baseUrl}/onboard/api/submission`, {
      method: 'POST',
      headers: { origin: 'https://stranger.example', 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(sent.status, 401)
  })

  test('files are judged by what is in them', async () => {
    const page = await world.open((await world.applicant()).link.url)
    await begin(page)
    await fillUpTo(page, 'A photo of your identity document', { country: 'DEU' })
    await page.locator('[data-path="photo_id.type"] select').selectOption('passport')
    const field = page.locator('[data-path="photo_id.image_front"]')
    const choose = async (file: { name: string; mimeType: string; buffer: Buffer }, told: string) => {
      await field.locator('input[type=file]').setInputFiles(file)
      const shown = field.getByText(told).waitFor({ timeout: 10_000 })
      assert.ok(await shown.then(() => true).catch(() => false), `${file.name}: ${told}`)
    }
    const wrong = 'This kind of file is not accepted'
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" onload="window.hacked=1"><script>window.hacked=1</script></svg>',
    )
    await choose(
      { name: 'program.png', mimeType: 'image/png', buffer: Buffer.from('MZ\u0090\0this is a program') },
      wrong,
    )
    await choose({ name: 'page.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(script) }, wrong)
    await choose({ name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) }, 'This file is empty')
    const cut = Buffer.from('ffd8ffe000104a464946', 'hex')
    await choose({ name: 'cut.jpg', mimeType: 'image/jpeg', buffer: cut }, 'This picture cannot be opened')
    const mimeType = 'application/pdf'
    await choose({ name: 'cut.pdf', mimeType, buffer: pdfOf(5_000).subarray(0, 4_000) }, 'This PDF is damaged')
    const locked = pdfOf(5_000, '/Encrypt 9 0 R')
    await choose({ name: 'locked.pdf', mimeType, buffer: locked }, 'This PDF is protected by a password')
    await choose({ name: 'drawing.png', mimeType: 'image/png', buffer: svg }, wrong)
    await choose(smallPicture(), 'The photo is too small')
    await choose(darkPicture(), 'The photo is too dark')
    const large = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(11 * 1024 * 1024)])
    await choose({ name: 'large.pdf', mimeType: 'application/pdf', buffer: large }, 'The file is too large')
    const names = [`../../../${script}.png`, `${'a'.repeat(200)}.png`, 'paper.png\u202egnp.exe']
    for (const name of names) {
      await field.locator('input[type=file]').setInputFiles(paperPicture(name.replaceAll('/', '\u2215')))
      await field.locator('.preview').waitFor()
    }
    const pdf = {
      name: `${script.replaceAll('/', '\u2215')}.pdf`,
      mimeType: 'application/pdf',
      buffer: pdfOf(1_000),
    }
    await field.locator('input[type=file]').setInputFiles(pdf)
    await field.locator('.paper').waitFor()
    assert.equal(await isHacked(page), undefined)
    assert.equal(await field.locator('.paper img, .paper script').count(), 0)
    await field.locator('input[type=file]').setInputFiles(paperPicture())
    await fillStep(page, { 'photo_id.type': 'passport' })
    await goOn(page)
  })
})
