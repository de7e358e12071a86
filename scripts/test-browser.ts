// The browser of the tests, started alike everywhere.

import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions } from 'playwright-core'
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

function screenOf(setting: string): typeof usualScreen {
  const [, width, height, colorScheme] = /^(\d+)x(\d+)-(light|dark)$/.exec(setting) ?? []
  if (colorScheme === undefined) throw new Error('CAUSEWAY_SCREEN must be like 390x844-dark')
  return { viewport: { width: Number(width), height: Number(height) }, colorScheme: colorScheme as 'light' | 'dark' }
}
