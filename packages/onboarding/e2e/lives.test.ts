// Realistic data: two countries, names and phone numbers as phones type them, provinces, and numbers by their country.
// A value that is changed by reading is shown before it is sent, and each rule has its own sentence.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/until.ts'
import { type Answers, acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { button, heading, type OnboardingPage, type OnboardingWorld, onboardingWorld } from './onboarding-world.ts'

type Sent = Record<string, unknown> & { identifying_information?: { type: string; issuing_country?: string }[] }

describe('data of real lives', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const review = 'Is this right?'
  const addressIn = ([first = {}]: readonly Sent[], name: string) => first[name] as Record<string, string>

  async function begun(type = 'individual'): Promise<{ page: OnboardingPage; sent: Sent[] }> {
    const { link } = await world.applicant({ type, rails: ['usd'] })
    const page = await world.open(link.url)
    const sent: Sent[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/submission')) sent.push(request.postDataJSON())
    })
    await page.locator('.actions .primary').click()
    await acceptInFrame(page)
    return { page, sent }
  }

  async function fillUpToField(page: OnboardingPage, path: string, answers: Answers): Promise<void> {
    for (let steps = 0; (await field(page, path).count()) === 0; steps++) {
      assert.ok(steps < 20, `no step asks for ${path}`)
      await fillStep(page, answers)
      await goOn(page)
    }
  }

  const field = (page: OnboardingPage, path: string) => page.locator(`[data-path="${path}"]`)

  /** Types, leaves the field, and reads what it shows then: the problem, or the value. */
  async function typed(page: OnboardingPage, path: string, text: string): Promise<string> {
    const place = field(page, path)
    const input = place.locator('input').first()
    await input.fill(text)
    const checked = page.waitForResponse((answer) => answer.url().endsWith('dryRun=true'))
    await input.blur()
    await checked
    const problem = place.locator('.problem')
    return (await problem.count()) > 0 ? await problem.innerText() : await input.inputValue()
  }

  test('names are read as phones type them, and a second field comes with a suggestion only where it is needed', async () => {
    const { page, sent } = await begun()
    await fillUpToField(page, 'last_name', { country: 'GBR' })
    assert.equal(await typed(page, 'last_name', 'O’Brien'), "O'Brien")
    assert.equal(await field(page, 'transliterated_last_name').count(), 0)
    assert.equal(await typed(page, 'last_name', 'Łukaszewicz'), 'Łukaszewicz')
    const latin = field(page, 'transliterated_last_name').locator('input')
    await until('a suggestion', async () => (await latin.inputValue()) === 'Lukaszewicz')
    assert.match(await typed(page, 'transliterated_last_name', 'Łukasz'), /^Use Latin letters/)
    assert.match(await typed(page, 'last_name', 'O'), /at least 2 letters here.* contact /)
    await typed(page, 'last_name', 'Łukasz')
    await typed(page, 'transliterated_last_name', 'Lukasz')
    await fillUpTo(page, review, { last_name: 'Łukasz', country: 'GBR' })
    await goOn(page)
    assert.equal(sent[0]?.['last_name'], 'Łukasz')
    assert.equal(sent[0]?.['transliterated_last_name'], 'Lukasz')
  })

  test('dates, emails and phones: each mistake has its own sentence, and what is meant is shown', async () => {
    const { page } = await begun()
    await fillUpToField(page, 'birth_date', { country: 'GBR' })
    assert.equal(await typed(page, 'birth_date', '1890-05-01'), 'Check the year: dates before 1900 are not possible.')
    assert.equal(await typed(page, 'birth_date', '2091-05-01'), 'This date is in the future. Enter a date in the past.')
    assert.equal(await typed(page, 'birth_date', '2020-05-01'), 'The minimum age is 18. Check the date of birth.')
    await fillUpToField(page, 'email', { country: 'GBR' })
    assert.equal(
      await typed(page, 'email', 'ada@example,com'),
      'An email address has no comma. Did you mean ada@example.com?',
    )
    assert.equal(await typed(page, 'email', 'ada@example'), 'Enter a valid email address.')
    for (const written of [
      '+44 (0)20 7946 0000',
      '020 7946 0000',
      '\u202a+44\u201120\u20117946\u00a00000\u202c',
      '0044 2079460000',
    ])
      assert.equal(await typed(page, 'phone', written), '+442079460000', written)
    assert.equal(await typed(page, 'phone', '+44 20'), 'This phone number has too few digits. Check it.')
  })

  test('the province is chosen from those of the country, and the number from those that are usual there', async () => {
    const { page, sent } = await begun()
    const answers = { country: 'CAN', subdivision: 'ON' }
    await fillUpToField(page, 'residential_address.subdivision', answers)
    const provinces = field(page, 'residential_address.subdivision')
    assert.match(await provinces.innerText(), /^Province\n/)
    assert.match(
      await typed(page, 'residential_address.postal_code', '94105'),
      /^This is not a postal code of this country/,
    )
    await fillUpToField(page, 'tax_id.type', answers)
    const kinds = await field(page, 'tax_id.type').locator('option').allInnerTexts()
    assert.deepEqual(kinds.slice(1), [
      'SIN (Social Insurance Number)',
      'Passport',
      'Something else',
      'Another kind of number',
    ])
    await field(page, 'tax_id.type').locator('select').selectOption('sin')
    assert.match(await typed(page, 'tax_id.number', '12-34'), /^This does not look like a valid SIN .* 999-999-999$/)
    await fillUpTo(page, review, answers)
    assert.match(await page.locator('main').innerText(), /Ontario/)
    await goOn(page)
    assert.equal(addressIn(sent, 'residential_address')['subdivision'], 'ON')
  })

  test('who issued a number is asked for or follows from its kind, and is on the review page', async () => {
    const { page, sent } = await begun()
    const passport = {
      country: 'ARE',
      'tax_id.type': 'passport',
      'tax_id.issuing_country': 'IND',
      'photo_id.issuing_country': 'ARE',
      'photo_id.type': 'visa',
    }
    await fillUpTo(page, review, passport)
    assert.match(await page.locator('main').innerText(), /Issuing country\s+India/)
    await goOn(page)
    const [number, document] = sent[0]?.identifying_information ?? []
    assert.deepEqual([number?.type, number?.issuing_country], ['passport', 'IND'])
    assert.deepEqual([document?.type, document?.issuing_country], ['visa', 'ARE'])
  })

  test('a number of another country than the residence has the country of its kind', async () => {
    const { page } = await begun()
    await fillUpToField(page, 'tax_id.type', { country: 'NGA' })
    await field(page, 'tax_id.type').locator('select').first().selectOption({ label: 'Another kind of number' })
    const others = page.getByLabel('Other kinds of number')
    await others.selectOption('ssn')
    await field(page, 'tax_id.number').locator('input').fill('219-09-9999')
    assert.equal(await field(page, 'tax_id.issuing_country').count(), 0)
    await goOn(page)
    await fillUpTo(page, review, { country: 'NGA' })
    assert.match(await page.locator('main').innerText(), /Issuing country\s+United States/)
  })

  test('a company that operates in another country is asked for an address of that country', async () => {
    const { page, sent } = await begun('business')
    const elsewhere = { 'physical_address.is_same': false, 'physical_address.country': 'HKG' }
    const company = { country: 'USA', subdivision: 'CA', ...elsewhere }
    await fillUpToField(page, 'physical_address.street_line_1', company)
    assert.equal(await heading(page), 'Operating address')
    for (const part of ['subdivision', 'postal_code'])
      assert.equal(await field(page, `physical_address.${part}`).count(), 0, part)
    await fillUpTo(page, 'Owners and managers', company)
    await button(page, 'Add a person').click()
    await fillUpTo(page, 'Owners and managers', company)
    await goOn(page)
    await goOn(page)
    await page.getByRole('heading', { name: 'Your company is verified' }).waitFor()
    assert.equal(addressIn(sent, 'physical_address')['country'], 'HKG')
    assert.equal(addressIn(sent, 'registered_address')['country'], 'USA')
  })
})
