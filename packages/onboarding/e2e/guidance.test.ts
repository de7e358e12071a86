// Guidance for the end-user: progress from the first screen on, a list of problems with links to the fields, and a way
// to continue after an error of the page itself.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { loadTexts } from '../src/texts/texts.ts'
import { assertAccessible } from './accessible.ts'
import { acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, desk, type OnboardingPage, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

describe('the page', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const progressOf = async (page: OnboardingPage) => ({
    text: await page.locator('.progress .step').innerText(),
    value: Number(await page.locator('progress').getAttribute('value')),
  })

  test('shows how far it is from the first screen on, in as many steps for any country and any number of people', async () => {
    const { link } = await world.applicant({ type: 'business' })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').waitFor()
    assert.deepEqual(await progressOf(page), { text: 'Step 1 of 5: Terms', value: 0 })
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    const seen = [await progressOf(page)]
    const answers = { country: 'USA', subdivision: 'CA' }
    for (const stop of ['Company information', 'Documents', 'Owners and managers']) {
      await fillUpTo(page, stop, answers)
      seen.push(await progressOf(page))
    }
    await button(page, 'Add a person').click()
    await fillUpTo(page, 'Where this person lives', answers)
    seen.push(await progressOf(page))
    await fillUpTo(page, 'Owners and managers', answers)
    await goOn(page)
    seen.push(await progressOf(page))
    assert.deepEqual(
      seen.map(({ text }) => text),
      [
        ...['Step 2 of 5: Company details', 'Step 2 of 5: Company details', 'Step 3 of 5: Documents and funds'],
        ...['Step 4 of 5: Owners and managers', 'Step 4 of 5: Owners and managers', 'Step 5 of 5: Review'],
      ],
    )
    const values = seen.map(({ value }) => value)
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
    )
  })

  test('lists what is wrong with a step, read aloud, and leads to the field', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, desk)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, 'About you', { country: 'USA' })
    await button(page, 'Continue').click()
    const summary = page.locator('.summary[role=alert]')
    await summary.getByText('There are 3 problems').waitFor()
    const { required, missingDate } = (await loadTexts('en')).rule
    const listed = [`First name: ${required}`, `Last name: ${required}`, `Date of birth: ${missingDate}`]
    assert.deepEqual(await summary.getByRole('button').allInnerTexts(), listed)
    assert.equal(await page.evaluate('document.activeElement.className'), 'summary')
    assert.equal(await page.locator('.field [role=alert]').count(), 0, 'each is read aloud once')
    await summary.getByRole('button', { name: 'Last name' }).click()
    const lastName = page.locator('[data-path="last_name"] input')
    await page.locator('[data-path="last_name"] input:focus').waitFor()
    assert.equal(await lastName.getAttribute('aria-invalid'), 'true')
    const borders = ['[data-path="last_name"] input', '.summary'].map((box) =>
      page.evaluate(`getComputedStyle(document.querySelector('${box}')).borderTopColor`),
    )
    assert.equal(await borders[0], await borders[1], 'a field with a problem has the color of the summary')
    const firstName = page.locator('[data-path="first_name"] input')
    await firstName.focus()
    await page.keyboard.type('Ada', { delay: 50 })
    assert.equal(await firstName.inputValue(), 'Ada', 'the focus stays while one types')
    await summary.getByText('There are 2 problems').waitFor()
    await lastName.fill('Lovelace')
    await summary.getByText('There is a problem').waitFor()
    await button(page, 'Continue').click()
    await page.locator('[data-path="birth_date"] input:focus').waitFor()
  })

  test('follows a browser that prefers dark pages, unless the business has chosen the ground', async () => {
    const groundOf = (page: OnboardingPage) =>
      page.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor')
    const { link } = await world.applicant()
    const page = await world.open(link.url, { ...desk, colorScheme: 'dark' })
    await button(page, 'Begin').waitFor()
    assert.equal(await groundOf(page), 'rgb(26, 32, 35)')
    await assertAccessible(page, 'start')
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, 'Your address', { country: 'USA' })
    await button(page, 'Continue').click()
    await page.locator('.summary').waitFor()
    await assertAccessible(page, 'a step with problems')
    await page.emulateMedia({ colorScheme: 'light' })
    await until('the light page', async () => (await groundOf(page)) === 'rgb(255, 255, 255)')
    const set = await world.world.business.call('PUT', '/v0/branding', { colors: { background: '#fdf6e3' } })
    assert.equal(set.status, 200, set.text)
    const chosen = await world.open((await world.applicant()).link.url, { ...desk, colorScheme: 'dark' })
    await button(chosen, 'Begin').waitFor()
    assert.equal(await groundOf(chosen), 'rgb(253, 246, 227)')
    await world.world.business.call('PUT', '/v0/branding', {})
  })

  test('ends with what happens next: after an approval, while one waits, and where nothing can be done', async () => {
    const set = await world.world.business.call('PUT', '/v0/branding', {
      name: 'Nubia',
      supportEmail: 'help@nubia.example',
    })
    assert.equal(set.status, 200, set.text)
    const sent = async (verdict: string, ended: string) => {
      const { externalUserId, link } = await world.applicant({ redirectUri: 'https://shop.example/after' })
      const page = await world.open(link.url, phone)
      await button(page, 'Begin').click()
      await acceptInFrame(page)
      const email = `${externalUserId}${verdict}@example.com`
      await fillUpTo(page, 'Is this right?', { country: 'USA', subdivision: 'CA', email })
      await goOn(page)
      await page.getByRole('heading', { name: ended }).waitFor()
      return page
    }
    const approved = await sent('', 'You are verified')
    await approved.locator('.sign.good').waitFor()
    await approved.getByText('We have let Nubia know that you are ready').waitFor()
    assert.equal(await approved.getByRole('link', { name: 'Back to Nubia' }).getAttribute('class'), 'primary')
    const waiting = await sent('+review', 'We are checking your details')
    await waiting.getByText('If yours needs a closer look, we expect a result by').waitFor()
    await waiting.getByText('To see the result later, open your link again.').waitFor()
    const stopped = await sent('+offboard', 'We could not verify you')
    const write = stopped.getByRole('link', { name: 'Write to help@nubia.example', exact: true })
    assert.equal(await write.getAttribute('href'), 'mailto:help%40nubia.example')
    await world.world.business.call('PUT', '/v0/branding', {})
  })

  test('loads its own language alone', async () => {
    const { link } = await world.applicant()
    const page = await world.open('about:blank', { ...phone, locale: 'de-AT' })
    const languages: (string | undefined)[] = []
    page.on('request', (sent) => languages.push(/assets\/(de|es|fr|pt)-/.exec(sent.url())?.[1]))
    await page.goto(link.url)
    await button(page, 'Beginnen').waitFor()
    assert.deepEqual([...new Set(languages)].filter(Boolean), ['de'])
    await page.locator('header select').selectOption('fr')
    await page.locator('html[lang=fr]').waitFor()
    await button(page, 'Commencer').waitFor()
  })

  test('shows the end of a number alone in the review, until somebody wants to see it', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, 'Is this right?', { country: 'DEU', subdivision: '', 'tax_id.number': '86095742719' })
    await page.getByText('•••• 2719').waitFor()
    assert.equal(await page.getByText('86095742719').count(), 0)
    await page.getByRole('button', { name: /^Show/ }).first().click()
    await page.getByText('86095742719').waitFor()
    await page.getByRole('button', { name: /^Hide/ }).click()
    assert.equal(await page.getByText('86095742719').count(), 0)
  })

  test('asks for a role of each person of a company, and offers nobody’s own data for them', async () => {
    const { link } = await world.applicant({ type: 'business' })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    const answers = { country: 'USA', subdivision: 'CA' }
    await fillUpTo(page, 'Owners and managers', answers)
    await button(page, 'Add a person').click()
    const nobody = { has_ownership: false, has_control: false, is_signer: false }
    await fillStep(page, nobody)
    await button(page, 'Continue').click()
    await page.getByRole('alert').getByText('Choose Yes for at least one role').waitFor()
    await fillUpTo(page, 'About this person', answers)
    const fields = page.locator('main input')
    assert.ok((await fields.count()) >= 4)
    for (const field of await fields.all()) assert.equal(await field.getAttribute('autocomplete'), 'off')
  })

  test('finds an industry by words, and takes nothing that is not in the list', async () => {
    const { link } = await world.applicant({ type: 'business' })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, 'Company information', { country: 'USA', subdivision: 'CA' })
    await page.getByText('If the company has no other name, enter the legal name again.').waitFor()
    const field = page.locator('[data-path="business_industry"]')
    assert.equal(await field.locator('.soft').count(), 1, 'one hint')
    await field.locator('option').first().waitFor({ state: 'attached' })
    const found = await field
      .locator('option[value*="Software"]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
    assert.ok(found.includes('513210 Software Publishers'), `${found}`)
    await fillStep(page, { business_industry: 'software of mine' })
    await button(page, 'Continue').click()
    await field.getByText('Choose an entry from the list.').waitFor()
    await field.locator('input').fill('513210 Software Publishers')
    assert.equal(await field.locator('.problem').count(), 0)
    await goOn(page)
    await fillUpTo(page, 'Owners and managers', { country: 'USA', subdivision: 'CA' })
    await button(page, 'Add a person').click()
    await fillUpTo(page, 'Owners and managers', { country: 'USA', subdivision: 'CA' })
    await goOn(page)
    await page.locator('.review').getByText('513210 Software Publishers').waitFor()
  })

  test('takes an industry that was typed before the list has come', async () => {
    const { link } = await world.applicant({ type: 'business' })
    const page = await world.open(link.url, phone)
    const held = Promise.withResolvers<void>()
    await page.route(/assets\/industries-.*\.js$/, (route) => held.promise.then(() => route.continue()))
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    await fillUpTo(page, 'Company information', { country: 'USA', subdivision: 'CA' })
    const field = page.locator('[data-path="business_industry"]')
    await field.locator('input').fill('513210 Software Publishers')
    await field.locator('input').blur()
    assert.equal(await field.locator('.problem').count(), 0, 'nothing is wrong before the list is known')
    held.resolve()
    await field.locator('option').first().waitFor({ state: 'attached' })
    assert.equal(await field.locator('.problem').count(), 0)
    await fillStep(page, { business_industry: '513210 Software Publishers' })
    await goOn(page)
  })

  test('says so where it has a fault of its own, and can be loaded again', async () => {
    const set = await world.world.business.call('PUT', '/v0/branding', { supportEmail: 'help@shop.example' })
    assert.equal(set.status, 200, set.text)
    const { link } = await world.applicant()
    const page = await world.open('about:blank', phone)
    let isBroken = true
    await page.route('**/onboard/api/state', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: Record<string, unknown> }
      if (isBroken) delete body.data['nextAction']
      await route.fulfill({ response, json: body })
    })
    await page.goto(link.url)
    await page.getByRole('heading', { name: 'This page stopped working' }).waitFor()
    await page.getByRole('link', { name: 'help@shop.example' }).waitFor()
    isBroken = false
    await button(page, 'Reload the page').click()
    await button(page, 'Begin').waitFor()
  })
})
