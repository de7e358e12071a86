// `npm run screenshots -- FOLDER [--only NAME]`: every page on a desk and on a phone, in the light and in the dark.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { consoleWorld, desk, phone, settled } from './console-world.ts'
import { pagePaths } from './paths.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } })
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: npm run screenshots -- FOLDER [--only NAME]')
  process.exit(2)
}
await mkdir(folder, { recursive: true })
const screens = { desk, phone } as const
const world = await consoleWorld({ DESTINATION_CHANGE_DELAY_MINUTES: '60' })
try {
  for (const { name, as, prepare } of pagePaths.filter((one) => one.name.startsWith(values.only ?? ''))) {
    const path = await prepare(world)
    for (const [screen, options] of Object.entries(screens))
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await world.open(path, { ...options, as, colorScheme })
        await settled(page)
        const file = join(folder, `${name}-${screen}-${colorScheme}.png`)
        await page.screenshot({ path: file, fullPage: true })
        for (const fault of page.faults) console.error(`${file}: ${fault}`)
        await page.context().close()
      }
    console.log(name)
  }
} finally {
  await world.stop()
}
