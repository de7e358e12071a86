// Texts around the questions: missing values, length limits, the language, and the review of a company.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { boxOf } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

describe('the questions', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  test('says what to do with an empty field of each kind, and how long a text may be', async () => {
    const { link } = await world.applicant({ type: 'business' })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    const problemAt = (path: string) => page.locator(`[data-path="${path}"] .problem`).innerText()
    await button(page, 'Continue').click()
    assert.equal(await problemAt('country'), 'Choose a country.')
    await fillUpTo(page, 'Company information', { country: 'USA' })
    await button(page, 'Continue').click()
    await page.locator('.summary').waitFor()
    assert.equal(await problemAt('business_legal_name'), 'Fill in this field.')
    assert.equal(await problemAt('business_type'), 'Choose an option.')
    assert.equal(await problemAt('business_industry'), 'Choose an entry from the list.')
    await fillStep(page, { business_description: 'a'.repeat(1_025) })
    await button(page, 'Continue').click()
    await page.locator('.field').getByText('Enter at most 1024 characters.').waitFor()
    await fillUpTo(page, 'Additional company information')
    await button(page, 'Continue').click()
    await page.locator('.summary').waitFor()
    assert.equal(await problemAt('is_dao'), 'Choose an option.')
    await fillUpTo(page, 'Documents', { country: 'USA', subdivision: 'CA' })
    await button(page, 'Continue').click()
    await page.locator('.summary').waitFor()
    assert.equal(await problemAt('documents.business_formation'), 'Add a document.')
  })

  test('has the language at its top, named in the language of the page and reached by the keyboard from the heading', async () => {
    const { link } = await world.applicant()
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.locator('header select:focus').waitFor()
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    const chooser = page.getByRole('combobox', { name: 'Sprache' })
    await chooser.waitFor()
    const [box, heading] = [await boxOf(chooser), await boxOf(page.locator('h1'))]
    assert.ok(box.y + box.height <= heading.y, 'above the heading')
    assert.ok(box.x + box.width > phone.viewport.width - 32, 'at the end of its line')
  })

  test('groups the review of a company by person, with the roles in the heading, and leads to each group', async () => {
    const { link } = await world.applicant({ type: 'business' })
    const page = await world.open(link.url, phone)
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    const answers = { country: 'USA', subdivision: 'CA', first_name: 'Grace', last_name: 'Hopper' }
    await fillUpTo(page, 'Owners and managers', answers)
    await button(page, 'Add a person').click()
    await fillUpTo(page, 'Owners and managers', { ...answers, ownership_percentage: '40' })
    const roles = 'Director · Owns 40% · Manages the company · Can sign for the company'
    await page.locator('.cards').getByText(roles).waitFor()
    await goOn(page)
    const person = page.getByRole('region', { name: 'Grace Hopper' })
    await person.getByText(roles).waitFor()
    assert.deepEqual(await person.locator('h2, h3').allInnerTexts(), [
      ...['Grace Hopper', 'Country of residence', 'Personal details', 'Contact', 'Address', 'Tax ID'],
      'Identity document',
    ])
    assert.doesNotMatch(await person.innerText(), /this person|Middle name/, 'what was given, and nothing twice')
    await person.getByRole('button', { name: 'Edit: Grace Hopper: Address' }).click()
    await page.getByRole('heading', { name: 'Address of this person' }).waitFor()
  })
})
