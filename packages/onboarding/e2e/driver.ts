// Fills in the form like a person: every question, by its kind. A test passes the values that matter; the others come
// from an example.

import assert from 'node:assert/strict'
import type { Frame, Locator, Page } from 'playwright-core'
import { addressFormOf } from '../../forms/src/countries/country.ts'
import { canaryPrefix } from '../../server/test/canary-search.ts'
import { until } from '../../server/test/until.ts'
import { paperPicture } from './papers.ts'

/** Values by the end of a path: `first_name`, `tax_id.type`. */
export type Answers = Readonly<Record<string, string | boolean>>

export type Form = Page | Frame

const examples: Answers = {
  first_name: `Ada ${canaryPrefix}`,
  last_name: `Lovelace ${canaryPrefix}`,
  birth_date: '1990-12-10',
  phone: '+1 222 333 4444',
  street_line_1: `1 Analytical Way ${canaryPrefix}`,
  city: `Exampletown ${canaryPrefix}`,
  'tax_id.description': 'a number of my country',
  'place_of_birth.city': `Birthplace ${canaryPrefix}`,
  most_recent_occupation: '132011',
  account_purpose: 'receive_salary',
  business_legal_name: 'Engines Limited',
  business_trade_name: 'Engines',
  business_type: 'llc',
  business_description: 'Builds engines',
  business_industry: '541511',
  primary_website: 'https://engines.example.com',
  ownership_percentage: '50',
  title: 'Director',
  has_control: true,
  has_ownership: true,
  is_signer: true,
  is_dao: false,
  has_material_intermediary_ownership: false,
  'physical_address.is_same': true,
  acting_as_intermediary: false,
}

let serial = 0
/** The provider takes an address once. */
const freshEmail = (): string => `applicant-${process.pid}-${++serial}@example.com`

/** Fills in every question on the screen. */
export async function fillStep(page: Form, given: Answers = {}): Promise<void> {
  const seen = new Set<string>()
  // A value can add a question.
  for (let fields = await unseen(page, seen); fields.length > 0; fields = await unseen(page, seen))
    for (const field of fields) {
      seen.add(field.path)
      await fillField(page.locator(`[data-path="${field.path}"]`), field, { ...examples, ...given })
    }
}

/** `values`: of a list that is closed. */
type Field = { path: string; control: string; values: string[] }

/** Reads all fields in one call, because each call to the browser takes as long as filling in a field. */
async function unseen(page: Form, seen: ReadonlySet<string>): Promise<Field[]> {
  const fields: Field[] = await page.locator('[data-path]').evaluateAll((all) =>
    all.map((field) => {
      const control = field.querySelector('select, textarea, input')
      const options = [...field.querySelectorAll('select:first-of-type option')]
      return {
        path: field.getAttribute('data-path') ?? '',
        control: control?.getAttribute('type') ?? control?.tagName.toLowerCase() ?? '',
        values: options.map((option) => option.getAttribute('value') ?? ''),
      }
    }),
  )
  return fields.filter(({ path }) => !seen.has(path))
}

/** An example of the form that the field shows. */
async function numberFor(place: Locator): Promise<string> {
  const [, form = '123456789'] = /: ([^(·]+)/.exec(await place.innerText()) ?? []
  return form.trim().replaceAll('A', 'B').replaceAll('X', '1')
}

const postalCodeFor = (country: Answers[string] | undefined): string =>
  addressFormOf(String(country)).postalCode?.example ?? '94105'

/** The most specific value: `people.0.tax_id.number`, `tax_id.number`, `number`. */
function answerTo(path: string, answers: Answers): string | boolean | undefined {
  const parts = path.split('.')
  return parts.map((_, index) => answers[parts.slice(index).join('.')]).find((answer) => answer !== undefined)
}

async function fillField(place: Locator, { path, control, values }: Field, answers: Answers): Promise<void> {
  const answer = path.includes('transliterated_') ? await suggestionAt(place) : answerTo(path, answers)
  switch (control) {
    case 'file':
      await place.locator('input[type=file]').setInputFiles(paperPicture())
      return await place.locator('.preview').waitFor()
    case 'radio':
      return await place
        .locator('input[type=radio]')
        .nth(answer === false ? 1 : 0)
        .check()
    case 'select': {
      // The given value, or the first option.
      const value = typeof answer === 'string' && values.includes(answer) ? answer : (values[1] ?? '')
      await place.locator('select').first().selectOption(value)
      return
    }
    default: {
      const text = answer ?? (await exampleOf(place, path, answers))
      if (text !== undefined) await place.locator('input, textarea').fill(String(text))
    }
  }
}

/** The suggestion of the page for a Latin form, which comes when the field before is left. */
async function suggestionAt(place: Locator): Promise<string> {
  const input = place.locator('input')
  await input.focus()
  await until('a suggestion', async () => (await input.inputValue()) !== '')
  return await input.inputValue()
}

/**
 * Examples that depend on the question: a new email address, a number of the right form, a postal code of the country.
 */
async function exampleOf(place: Locator, path: string, answers: Answers): Promise<string | undefined> {
  if (/email$/.test(path)) return freshEmail()
  if (/tax_id.number$/.test(path)) return await numberFor(place)
  if (!/postal_code$/.test(path)) return undefined
  const isOperating = path.startsWith('physical_address')
  return postalCodeFor(answers[isOperating ? 'physical_address.country' : 'country'])
}

const stepMsMax = 15_000

/** Continues to the next step. Fails with the page's problems if it does not. */
export async function goOn(page: Form): Promise<void> {
  const before = await page.locator('h1').elementHandle()
  await page.locator('.actions .primary').click()
  const problem = page.locator('.problem').first().waitFor({ timeout: stepMsMax })
  const isPast = before?.waitForElementState('hidden', { timeout: stepMsMax }).then(() => true)
  if (await Promise.race([isPast, problem.then(() => false)]).catch(() => false)) return
  if (!(await before?.isVisible())) return
  const problems = await page.locator('.problem').allInnerTexts()
  assert.fail(`the page stays at ${await before?.innerText()}: ${problems.join(', ')}`)
}

/** Waits for the last page, and fails with what the server refused. */
export async function reachEnd(page: Form, heading: string): Promise<void> {
  const end = page.getByRole('heading', { name: heading })
  await end.or(page.locator('.problem').first()).waitFor()
  const problems = await page.locator('.problem').allInnerTexts()
  assert.ok(await end.isVisible(), `refused at ${await page.locator('h1').innerText()}: ${problems.join(', ')}`)
}

/** Fills in every step up to the one whose heading is named. @returns the headings on the way */
export async function fillUpTo(page: Form, last: string, answers: Answers = {}): Promise<string[]> {
  const seen: string[] = []
  for (let now = await page.locator('h1').innerText(); now !== last; now = await page.locator('h1').innerText()) {
    seen.push(now)
    assert.ok(seen.length < 60, `does not come to ${last}: ${seen.join(', ')}`)
    await fillStep(page, answers)
    await goOn(page)
  }
  return seen
}

/** Accepts the provider's terms in the frame. */
export async function acceptInFrame(page: Form): Promise<void> {
  await page.frameLocator('.terms iframe').locator('#accept').click()
  await page.locator('.terms').waitFor({ state: 'detached' })
}

/** Accepts the provider's terms in a separate window. */
export async function acceptInWindow(page: Page): Promise<void> {
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Open the terms in a window' }).click()
  await (await opened).locator('#accept').click()
  await page.getByRole('heading', { name: 'Accept the terms' }).waitFor({ state: 'detached' })
}

/** Takes a photo with the camera of the browser. */
export async function shoot(page: Form, path: string): Promise<void> {
  const field = page.locator(`[data-path="${path}"]`)
  await field.getByRole('button', { name: 'Take a photo' }).click()
  await field.getByRole('button', { name: 'Take the photo' }).click()
  await field.locator('.preview').waitFor()
  const keep = field.getByRole('button', { name: 'Use it anyway' })
  if (await keep.count()) await keep.click()
}
