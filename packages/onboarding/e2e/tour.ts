// Every state of the page in one language, for those who look at each: is it readable, is a text cut off, what does it look like.

import { loadTexts } from '../src/texts/texts.ts'
import { type Answers, acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import type { OnboardingPage, OnboardingWorld } from './onboarding-world.ts'
import { blurredPicture } from './papers.ts'

type Look = (name: string, page: OnboardingPage) => Promise<void>
type Screen = Parameters<OnboardingWorld['open']>[1]
type Tour = { world: OnboardingWorld; language: string; screen: Screen; look: Look; isShort?: boolean }

export async function tour(options: Tour): Promise<void> {
  await ofPerson(options)
  if (options.isShort) return
  await ofCompany(options)
  await ofVerdicts(options)
}

/** Opens a new link, and goes past the terms. */
async function begin({ world, language, screen, look }: Tour, type: string): Promise<OnboardingPage> {
  const { link } = await world.applicant({
    type,
    locale: language,
    rails: ['eur'],
    redirectUri: 'https://shop.example/after',
  })
  const page = await world.open(link.url, screen)
  await page.locator('.actions .primary').waitFor()
  await look(`${type}-start`, page)
  await page.locator('.actions .primary').click()
  await page.frameLocator('.terms iframe').getByRole('button', { name: 'Accept' }).waitFor()
  await look(`${type}-terms`, page)
  await acceptInFrame(page)
  return page
}

/** Looks at each step empty and with its missing values reported, fills it in, and continues. */
async function steps(
  { look }: Tour,
  page: OnboardingPage,
  last: string,
  answers: Answers,
  name: string,
): Promise<void> {
  for (let number = 1; (await page.locator('h1').innerText()) !== last; number++) {
    if (number > 30) throw new Error(`does not come to ${last}`)
    await page.locator('.actions .primary').click()
    await page.locator('.problem').first().waitFor()
    await look(`${name}-${number}`, page)
    if (await chooseLongest(page)) await look(`${name}-${number}-chosen`, page)
    await fillStep(page, answers)
    await goOn(page)
  }
}

/** Chooses the longest of each list, which is the hardest to show. @returns whether there is a list */
export async function chooseLongest(page: OnboardingPage): Promise<boolean> {
  const selects = await page.locator('main select').all()
  for (const select of selects) {
    const texts = await select.locator('option').allInnerTexts()
    const longest = texts.toSorted((one, other) => other.length - one.length)[0] ?? ''
    await select.selectOption({ label: longest })
  }
  return selects.length > 0
}

async function ofPerson(options: Tour): Promise<void> {
  const { world, language, look } = options
  const texts = await loadTexts(language)
  const page = await begin(options, 'individual')
  const answers = { country: 'DEU', account_purpose: 'other', account_purpose_other: 'A journey' }
  await steps(options, page, texts.section.photoId, answers, 'person')
  await page.locator('[data-path="photo_id.type"] select').selectOption('drivers_license')
  await page.locator('[data-path="photo_id.image_front"] input[type=file]').setInputFiles(blurredPicture())
  await page.getByText(texts.photo.keep).waitFor()
  await look('person-blurred', page)
  await page.locator('[data-path="photo_id.image_back"] button').first().click()
  await look('person-camera', page)
  await page.getByText(texts.photo.cancel).click()
  await fillUpTo(page, texts.section.review, answers)
  await look('person-review', page)
  await goOn(page)
  await page.getByRole('heading', { name: texts.done.heading }).waitFor()
  await look('person-done', page)
  const { link } = await world.applicant({ locale: language })
  const gone = await world.open(`${link.url}x`, { ...options.screen, locale: language })
  await gone.getByText(texts.link.onboarding_link_invalid).waitFor()
  await look('ended', gone)
}

async function ofCompany(options: Tour): Promise<void> {
  const texts = await loadTexts(options.language)
  const page = await begin(options, 'business')
  const company = {
    country: 'USA',
    subdivision: 'CA',
    'physical_address.is_same': false,
    'physical_address.country': 'USA',
  }
  await steps(options, page, texts.section.people, company, 'company')
  await goOn(page).catch(() => {}) // somebody has to manage the company
  await options.look('company-nobody', page)
  await page.getByRole('button', { name: texts.form.addPerson }).click()
  await steps(options, page, texts.section.people, { country: 'DEU' }, 'company-person')
  await options.look('company-people', page)
  await goOn(page)
  await options.look('company-review', page)
}

/** Possible verdicts of the provider on a submission. */
async function ofVerdicts(options: Tour): Promise<void> {
  const texts = await loadTexts(options.language)
  const verdicts = [
    ['reject', texts.section.photoId],
    ['questionnaire', texts.section.more],
    ['review', texts.wait.heading],
    ['offboard', texts.stopped.heading],
  ] as const
  for (const [verdict, heading] of verdicts) {
    const { externalUserId, link } = await options.world.applicant({ locale: options.language })
    const page = await options.world.open(link.url, options.screen)
    await page.locator('.actions .primary').click()
    await acceptInFrame(page)
    const answers = { country: 'USA', subdivision: 'NY', email: `${externalUserId}+${verdict}@example.com` }
    await fillUpTo(page, texts.section.review, answers)
    await goOn(page)
    await page.getByRole('heading', { name: heading }).waitFor()
    await options.look(`verdict-${verdict}`, page)
  }
}
