// The browser of the tests, started alike everywhere.

import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
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
