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

/** Four steps of one person, in the colors of a business. */
async function ofReadme({ world: { call }, applicant, open }: OnboardingWorld): Promise<void> {
  await call('PUT', '/v0/branding', { name: 'Nubia Pay', colors: { primary: '#4338ca' } })
  const person = { first_name: 'Ada', last_name: 'Lovelace', email: `ada-${Date.now()}+document@example.com` }
  const residence = { street_line_1: '1 Analytical Way', city: 'Lyon', postal_code: '69001', country: 'FRA' }
  const answers = { ...person, ...residence, number: '28AB90123', title: '' }
  const { link } = await applicant({ locale: 'en' })
  const page = await open(link.url, { ...phone, deviceScaleFactor: 1.5 })
  await page.getByRole('button', { name: 'Begin' }).waitFor()
  await picture(page, 'start')
  await page.getByRole('button', { name: 'Begin' }).click()
  await acceptInFrame(page)
  await fillUpTo(page, 'A photo of your identity document', answers)
  await fillStep(page, answers)
  const paper = { name: 'passport.png', mimeType: 'image/png', buffer: await specimen(page) }
  await page.locator('[data-path="photo_id.image_front"] input[type=file]').setInputFiles(paper)
  await page.locator('.preview').waitFor()
  await picture(page, 'photo')
  await goOn(page)
  await fillUpTo(page, 'Is this right?', answers)
  await picture(page, 'review')
  await goOn(page)
  await page.getByText('Something is still needed').waitFor()
  await picture(page, 'missing')
}

/** The screen as on a phone, with round corners that let the ground through, in the light and in the dark. */
async function picture(page: OnboardingPage, name: string): Promise<void> {
  // The focus follows the heading: without its mark.
  await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)')
  const screen = (await page.screenshot()).toString('base64')
  const frame = await page.context().newPage()
  await frame.setContent(
    `<img src="data:image/png;base64,${screen}" width="360" style="border: 1px solid #94a3b8; border-radius: 24px">`,
  )
  await frame.locator('img').screenshot({ path: join(target, `onboarding-${name}.png`), omitBackground: true })
  await frame.close()
}

/** A passport of nobody, drawn by the browser. */
async function specimen(page: OnboardingPage): Promise<Buffer> {
  const drawing = await page.context().newPage()
  await drawing.setContent(`<body style="margin: 0; width: 360px; height: 240px; font: 15px sans-serif; background: #dbe4f3; color: #1e293b">
    <div style="padding: 18px 20px; display: grid; grid-template-columns: 88px 1fr; gap: 16px">
      <b style="grid-column: 1 / 3; letter-spacing: 2px">SPECIMEN · PASSPORT</b>
      <svg viewBox="0 0 88 112" fill="#8da2c0"><rect width="88" height="112" rx="6" fill="#f1f5f9"/><circle cx="44" cy="44" r="20"/><path d="M10 112a34 38 0 0 1 68 0"/></svg>
      <div style="line-height: 1.6">Surname<br><b>LOVELACE</b><br>Given name<br><b>ADA</b></div>
      <code style="grid-column: 1 / 3; font-size: 13px">P&lt;UTOLOVELACE&lt;&lt;ADA&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;<br>28AB90123&lt;4UTO9012105F3012102&lt;&lt;&lt;&lt;&lt;&lt;</code>
    </div>`)
  const buffer = await drawing.screenshot({ clip: { x: 0, y: 0, width: 360, height: 240 } })
  await drawing.close()
  return buffer
}
