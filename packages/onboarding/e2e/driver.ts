// Fills in the form as a person would: whatever is asked, answered by what it asks for. Answers that matter to a test are given to
// it; the others are those of an example.

import assert from 'node:assert/strict'
import type { Frame, Locator, Page } from 'playwright-core'
import { canaryPrefix } from '../../server/test/canary-search.ts'
import { paperPicture } from './papers.ts'

/** Answers by the end of a path: `first_name`, `tax_id.type`. */
export type Answers = Readonly<Record<string, string | boolean>>

export type Form = Page | Frame

const examples: Answers = {
  first_name: `Ada ${canaryPrefix}`,
  last_name: `Lovelace ${canaryPrefix}`,
  birth_date: '1990-12-10',
  phone: '+1 222 333 4444',
  street_line_1: `1 Analytical Way ${canaryPrefix}`,
  city: `Exampletown ${canaryPrefix}`,
  postal_code: '94105',
  'tax_id.number': '123456789',
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

/** Answers every question on the screen. */
export async function fillStep(page: Form, given: Answers = {}): Promise<void> {
  const seen = new Set<string>()
  // An answer can raise a question.
  for (let found = await next(page, seen); found !== null; found = await next(page, seen)) {
    const { path, field } = found
    seen.add(path)
    await fillField(field, path, { ...examples, ...given })
  }
}

async function next(page: Form, seen: ReadonlySet<string>): Promise<{ path: string; field: Locator } | null> {
  const paths: string[] = await page
    .locator('[data-path]')
    .evaluateAll((fields) => fields.map((field) => field.getAttribute('data-path') ?? ''))
  const path = paths.find((each) => !seen.has(each))
  return path === undefined ? null : { path, field: page.locator(`[data-path="${path}"]`) }
}

/** The most exact of the answers: `people.0.tax_id.number`, `tax_id.number`, `number`. */
function answerTo(path: string, answers: Answers): string | boolean | undefined {
  const parts = path.split('.')
  return parts.map((_, index) => answers[parts.slice(index).join('.')]).find((answer) => answer !== undefined)
}

async function fillField(field: Locator, path: string, answers: Answers): Promise<void> {
  const answer = answerTo(path, answers)
  if (await field.locator('input[type=file]').count()) {
    await field.locator('input[type=file]').setInputFiles(paperPicture())
    await field.locator('.preview').waitFor()
  } else if (await field.locator('input[type=radio]').count()) {
    await field
      .locator('input[type=radio]')
      .nth(answer === false ? 1 : 0)
      .check()
  } else if (await field.locator('select').count()) await choose(field.locator('select').first(), answer)
  else if (answer !== undefined) await field.locator('input, textarea').fill(String(answer))
  else if (/email$/.test(path)) await field.locator('input').fill(freshEmail())
}

/** Chooses the answer, or the first there is. */
async function choose(select: Locator, answer: string | boolean | undefined): Promise<void> {
  const values: string[] = await select
    .locator('option')
    .evaluateAll((options) => options.map((option) => option.getAttribute('value') ?? ''))
  await select.selectOption(typeof answer === 'string' && values.includes(answer) ? answer : (values[1] ?? ''))
}

/** Goes on, and fails with what the page complains of where it does not. */
export async function goOn(page: Form): Promise<void> {
  const before = await stepOf(page)
  await page.locator('.actions .primary').click()
  for (const endsAt = Date.now() + 15_000; Date.now() < endsAt; ) {
    if ((await stepOf(page)) !== before) return
    const problems = await page.locator('.problem').allInnerTexts()
    assert.deepEqual(problems, [], `the page stays at ${before}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(`the page stays at ${before}`)
}

const stepOf = async (page: Form): Promise<string> =>
  `${await page.locator('h1').innerText()} ${(await page.locator('main > .soft').first().allInnerTexts()).join()}`

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

/** Accepts the provider's terms in a window of their own. */
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
