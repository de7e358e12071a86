// Makes pictures of every state of the page, on a phone of 360 px and on a desk: `npm run screenshots:onboarding -- FOLDER [LANGUAGE …]`.
// `npm run screenshots:onboarding -- --readme` makes the pictures of the README and of the documentation.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { acceptInFrame, fillStep, fillUpTo, goOn } from './driver.ts'
import { desk, type OnboardingPage, type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'
import { tour } from './tour.ts'

const [folder = 'screenshots', ...languages] = process.argv.slice(2)
const isForReadme = folder === '--readme'
const target = isForReadme ? join(import.meta.dirname, '../../../docs/public') : folder
mkdirSync(target, { recursive: true })
const world = await onboardingWorld()
try {
  if (isForReadme) await ofReadme(world)
  else
    for (const language of languages.length > 0 ? languages : ['en', 'es', 'pt', 'fr', 'de'])
      for (const [name, screen] of Object.entries(language === 'en' ? { phone, desk } : { phone }))
        await tour({
          world,
          language,
          screen,
          look: async (state, page) => {
            await page.screenshot({ path: join(target, `${language}-${name}-${state}.png`), fullPage: true })
          },
        })
} finally {
  await world.stop()
}

/** Three steps of one person, in the colors of a business. */
async function ofReadme({
  world: {
    business: { call },
  },
  applicant,
  browser,
  open,
}: OnboardingWorld): Promise<void> {
  await call('PUT', '/v0/branding', { name: 'Nubia Pay', colors: { primary: '#4338ca' } })
  const answers = {
    ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', country: 'FRA' },
    ...{ street_line_1: '1 rue des Machines', city: 'Lyon', subdivision: '69', postal_code: '69001' },
    ...{ 'tax_id.number': '1234567890123', 'photo_id.type': 'passport', 'photo_id.issuing_country': 'FRA' },
  }
  const begin = async (): Promise<OnboardingPage> => {
    const { link } = await applicant({ locale: 'en' })
    const page = await open(link.url, { ...phone, deviceScaleFactor: 1.5 })
    await page.getByRole('button', { name: 'Begin' }).click()
    await acceptInFrame(page)
    return page
  }
  const page = await begin()
  await fillUpTo(page, 'A photo of your identity document', answers)
  await fillStep(page, answers)
  const shown = await page.locator('.preview').getAttribute('src')
  const paper = { name: 'passport.png', mimeType: 'image/png', buffer: await specimen(browser) }
  await page.locator('[data-path="photo_id.image_front"] input[type=file]').setInputFiles(paper)
  await page.locator(`.preview:not([src="${shown}"])`).waitFor()
  await picture(page, 'photo')
  await goOn(page)
  await fillUpTo(page, 'Is this right?', answers)
  await picture(page, 'review')
  const another = await begin()
  await fillUpTo(another, 'Is this right?', { ...answers, email: 'ada+document@example.com' })
  await goOn(another)
  await another.getByText('Your identity document has expired').waitFor()
  await picture(another, 'correction')
}

/** The screen as on a phone, with round corners that let the ground through, in the light and in the dark. */
async function picture(page: OnboardingPage, name: string): Promise<void> {
  // The focus follows the heading: without its mark.
  await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)')
  const screen = (await page.screenshot()).toString('base64')
  const frame = await page.context().newPage()
  const style = 'display: block; border: 2px solid #94a3b8; border-radius: 24px'
  await frame.setContent(`<img src="data:image/png;base64,${screen}" width="360" style="${style}">`)
  await frame.locator('img').screenshot({ path: join(target, `onboarding-${name}.png`), omitBackground: true })
  await frame.close()
}

/** A passport of nobody, drawn by the browser. */
async function specimen(browser: OnboardingWorld['browser']): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 360, height: 230 }, deviceScaleFactor: 2 })
  const filler = '&lt;'.repeat(10)
  await page.setContent(`<body style="margin: 0; font: 15px sans-serif; background: #dbe4f3; color: #1e293b">
    <div style="padding: 16px 20px; display: grid; grid-template-columns: 84px 1fr; gap: 14px">
      <b style="grid-column: 1 / 3; letter-spacing: 2px">SPECIMEN · PASSPORT</b>
      <svg viewBox="0 0 88 112" fill="#8da2c0">
        <rect width="88" height="112" rx="6" fill="#f1f5f9"/><circle cx="44" cy="44" r="20"/><path d="M10 112a34 38 0 0 1 68 0"/>
      </svg>
      <div style="line-height: 1.6">Surname<br><b>LOVELACE</b><br>Given name<br><b>ADA</b></div>
      <code style="grid-column: 1 / 3; font-size: 14px">P&lt;UTOLOVELACE&lt;&lt;ADA${filler}<br>L898902C36UTO9012105F${filler}02</code>
    </div>`)
  const buffer = await page.screenshot()
  await page.close()
  return buffer
}
