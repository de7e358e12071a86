// The browser of the tests, started alike everywhere.

import { setTimeout } from 'node:timers/promises'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Locator,
} from 'playwright-core'
import { browserPath } from './test-needs.ts'

export const browserOptions: LaunchOptions = {
  executablePath: browserPath,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
}

export const launchBrowser = (): Promise<Browser> => chromium.launch(browserOptions)

/** The screen of a test that names none: a desk in light, or what CAUSEWAY_SCREEN says, such as `390x844-dark`. */
export const usualScreen: Pick<BrowserContextOptions, 'viewport' | 'colorScheme'> = screenOf(
  process.env['CAUSEWAY_SCREEN'] ?? '1280x800-light',
)

type Box = { x: number; y: number; width: number; height: number }

/** Where the first match is. A row that is replaced while it is measured has no place: then the next one is measured. */
export async function boxOf(locator: Locator): Promise<Box> {
  for (let tries = 1; ; tries++) {
    await locator.first().waitFor()
    const box = await locator.first().boundingBox()
    if (box !== null) return box
    if (tries === 20) throw new Error(`${locator} is replaced at each look`)
  }
}

const delayMs = Number(process.env['CAUSEWAY_API_DELAY_MS'] ?? 0)

/** Holds each request to the API back for CAUSEWAY_API_DELAY_MS: a test that measures a page too early then fails. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (delayMs === 0) return
  await context.route(/\/(v0|onboard\/api)\//, async (route) => {
    await setTimeout(delayMs)
    await route.continue().catch(() => undefined) // the page may be gone
  })
}

function screenOf(setting: string): typeof usualScreen {
  const [, width, height, colorScheme] = /^(\d+)x(\d+)-(light|dark)$/.exec(setting) ?? []
  if (colorScheme === undefined) throw new Error('CAUSEWAY_SCREEN must be like 390x844-dark')
  return { viewport: { width: Number(width), height: Number(height) }, colorScheme: colorScheme as 'light' | 'dark' }
}
