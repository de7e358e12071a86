// Rules for every state of the page, on a phone of 360 px and on a desktop, in each language: readable by screen
// readers, no text cut off, one heading. Also the cost of the first visit. By default, `npm test` checks a person's
// steps on a phone, and everything with CAUSEWAY_EVERY_FORM=true, as the CI run does.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { languageNames } from '../src/texts/texts.ts'
import { assertAccessible } from './accessible.ts'
import { firstVisit } from './figures.ts'
import { desk, type OnboardingPage, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'
import { chooseLongest, tour } from './tour.ts'

/** Bytes as they are sent, compressed. */
const firstPageBytesMax = 150_000
const usableMsMax = 1_000
/** The "good" limit of Core Web Vitals. */
const layoutShiftMax = 0.1

const everyForm = process.env['CAUSEWAY_EVERY_FORM'] === 'true'
const languages = Object.keys(languageNames)
const forms = [
  { screen: phone, spoken: languages },
  // The content of a state is the same in each language.
  ...(everyForm ? [{ screen: desk, spoken: ['en'] }] : []),
]

/** The CI run has looked at every form by then. */
const isSeen = process.env['CAUSEWAY_EVERY_FORM'] === 'seen' && 'every state was looked at before'

describe('every state', { skip: lacking('browser') || lacking('onboarding') || isSeen }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
    // The longest that there may be, of one word.
    const set = await world.world.business.call('PUT', '/v0/branding', { name: 'Bank'.repeat(20) })
    assert.equal(set.status, 200, set.text)
  })
  after(() => world.stop())

  for (const { screen, spoken } of forms)
    test(`${screen.viewport.width} px, in ${spoken.join(', ')}`, async () => {
      const names = new Set<string>()
      const look = async (name: string, page: OnboardingPage): Promise<void> => {
        names.add(name)
        if (everyForm || name.endsWith('start')) await assertAccessible(page, name)
        for (const language of spoken) {
          await speak(page, language)
          if (name.endsWith('chosen')) await chooseLongest(page)
          await assertWhole(page, `${language} ${name}`)
        }
        await speak(page, 'en')
      }
      await tour({ world, language: 'en', screen, isShort: !everyForm, look })
      assert.ok(names.size >= (everyForm ? 40 : 12), `${names.size} states were seen`)
    })

  test('a text that is cut off is found', async () => {
    const page = await world.open('about:blank', phone)
    await page.setContent(
      '<button style="width: 3rem; overflow: hidden; white-space: nowrap">a long text</button><p>short</p>',
    )
    assert.deepEqual(await page.evaluate(cutTexts), ['BUTTON: a long text'])
  })

  test('the first visit is small, and the page is usable soon', async () => {
    // While other tests run, a visit may wait for the processor: the best of a few counts.
    const usableMs: number[] = []
    for (let visits = 0; visits < 6 && Math.min(...usableMs) > usableMsMax; visits++) {
      const figures = await firstVisit(world)
      assert.ok(
        figures.bytes > 10_000 && figures.bytes <= firstPageBytesMax,
        `the first page has ${figures.bytes} bytes`,
      )
      assert.ok(figures.layoutShift <= layoutShiftMax, `what is seen moved by ${figures.layoutShift}`)
      usableMs.push(figures.usableMs)
    }
    assert.ok(Math.min(...usableMs) <= usableMsMax, `the page was usable after ${usableMs.join(', ')} ms`)
  })
})

/** The applicant can change the language at any step. */
async function speak(page: OnboardingPage, language: string): Promise<void> {
  await page.locator('header select').selectOption(language)
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' })
}

/** Finds text that is wider than its box or the screen. A choice that is open shows its words in a list of the system's own. */
const cutTexts = `[...document.querySelectorAll('h1, h2, p, li, label, legend, button, a, dt, dd, strong, span, select')].flatMap((element) => {
  if (!element.checkVisibility() || element.closest('.unseen')) return []
  const range = document.createRange()
  range.selectNodeContents(element)
  const { left, right } = element.tagName === 'SELECT' ? element.getBoundingClientRect() : range.getBoundingClientRect()
  const isRepeated = element.nextElementSibling?.innerText === element.selectedOptions?.[0]?.text
  const isCut = element.tagName === 'SELECT' ? !isRepeated && widthOf(element) > element.clientWidth : element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline'
  return isCut || left < 0 || right > document.documentElement.clientWidth + 1 ? [element.tagName + ': ' + element.innerText.slice(0, 80)] : []
  function widthOf(select) {
    const text = select.selectedOptions[0]?.text ?? ''
    const { font, paddingLeft, paddingRight } = getComputedStyle(select)
    const context = document.createElement('canvas').getContext('2d')
    context.font = font
    return context.measureText(text).width + parseFloat(paddingLeft) + parseFloat(paddingRight)
  }
})`

async function assertWhole(page: OnboardingPage, name: string): Promise<void> {
  const [content, screen] = await page.evaluate<[number, number]>(
    '[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]',
  )
  assert.ok(content <= screen, `${name}: ${content} px are shown on ${screen}`)
  assert.deepEqual(await page.evaluate<string[]>(cutTexts), [], name)
}
