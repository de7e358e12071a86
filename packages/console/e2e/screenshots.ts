// `npm run screenshots -- FOLDER [--only NAME]`: every page on a desk and on a phone, in the light and in the dark.
// `npm run screenshots -- --readme` makes the picture of the README, in the light and in the dark.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type ConsolePage,
  consoleWorld,
  desk,
  type OpenOptions,
  type PagePath,
  phone,
  settled,
} from './console-world.ts'
import { pagePaths } from './paths.ts'
import { type Scene, scenes } from './scenes.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, readme: { type: 'boolean' } },
})
const [given] = positionals
if ((given === undefined) !== (values.readme === true)) {
  console.error('usage: npm run screenshots -- FOLDER [--only NAME], or npm run screenshots -- --readme')
  process.exit(2)
}
const folder = given ?? join(import.meta.dirname, '../../../docs/public')
const screens = { desk, phone } as const
const schemes = ['light', 'dark'] as const
const readmePage = 'end-user'

await mkdir(folder, { recursive: true })
const world = await consoleWorld({ DESTINATION_CHANGE_DELAY_MINUTES: '60', OIDC_FRESH_SIGN_IN_MINUTES: '10' })
try {
  if (values.readme === true) await ofReadme()
  else {
    const isAsked = ({ name }: { name: string }) => name.startsWith(values.only ?? '')
    for (const page of pagePaths.filter(isAsked)) await ofPage(page)
    for (const scene of scenes.filter(isAsked)) await ofScene(scene)
  }
} finally {
  await world.stop()
}

async function ofReadme(): Promise<void> {
  const page = pagePaths.find(({ name }) => name === readmePage)
  if (page === undefined) throw new Error(`there is no page ${readmePage}`)
  const path = await page.prepare(world)
  for (const colorScheme of schemes)
    await picture(path, `console-${colorScheme}.png`, { ...desk, as: page.as, colorScheme }, false)
}

async function ofPage({ name, as, prepare }: PagePath): Promise<void> {
  const path = await prepare(world)
  for (const [screen, options] of Object.entries(screens))
    for (const colorScheme of schemes)
      await picture(path, `${name}-${screen}-${colorScheme}.png`, { ...options, as, colorScheme }, true)
  console.log(name)
}

async function ofScene({ name, prepare, act }: Scene): Promise<void> {
  const { path, options } = await prepare(world)
  for (const [screen, size] of Object.entries(screens))
    for (const colorScheme of schemes)
      await picture(path, `${name}-${screen}-${colorScheme}.png`, { ...size, ...options, colorScheme }, false, act)
  console.log(name)
}

async function picture(
  path: string,
  name: string,
  options: OpenOptions,
  fullPage: boolean,
  act: (page: ConsolePage) => Promise<unknown> = async () => {},
): Promise<void> {
  const page = await world.open(path, options)
  await settled(page)
  await act(page)
  await page.screenshot({ path: join(folder, name), fullPage })
  for (const fault of page.faults) console.error(`${name}: ${fault}`)
  await page.context().close()
}
