// Makes pictures of every state of the page, on a phone of 360 px and on a desk: `npm run screenshots:onboarding -- FOLDER [LANGUAGE …]`.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { desk, onboardingWorld, phone } from './onboarding-world.ts'
import { tour } from './tour.ts'

const [folder = 'screenshots', ...languages] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const world = await onboardingWorld()
for (const language of languages.length > 0 ? languages : ['en', 'es', 'pt', 'fr', 'de'])
  for (const [name, screen] of Object.entries(language === 'en' ? { phone, desk } : { phone }))
    await tour({
      world,
      language,
      screen,
      look: async (state, page) => {
        await page.screenshot({ path: join(folder, `${language}-${name}-${state}.png`), fullPage: true })
      },
    })
await world.stop()
