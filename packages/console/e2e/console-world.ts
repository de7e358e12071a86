// A local environment and a browser for the tests of the console: the real server with the built console, the real
// sandbox provider, Chromium. A request of a page to another origin, and any message in its console, fails the test.

import assert from 'node:assert/strict'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { launchBrowser, slowDown, usualScreen } from '../../../scripts/test-browser.ts'
import { LocalLinks } from '../../server/src/console/local-links.ts'
import type { FixedLimits } from '../../server/src/platform/config.ts'
import { openWorld, type World } from '../../server/test/world.ts'

export type ConsoleWorld = {
  world: World
  /**
   * Opens a page, signed in as the business of the environment. Calls with the same options share one page, which
   * navigates: a new one costs 0.7 s of CPU. With `as: null` each is new.
   */
  open(path: string, options?: OpenOptions): Promise<ConsolePage>
  stop(): Promise<void>
}

/** A page of the console, for the tests that look at each page and for the pictures. */
export type PagePath = {
  /** Name of the screenshot. */
  name: string
  as: 'business' | 'operator'
  /** @returns the path below /console, once what it shows is there */
  prepare: (world: ConsoleWorld) => string | Promise<string>
}

/**
 * `as`: the role that a link of the local environment signs in; null leaves the browser as it is. `key`: an API key to sign in with.
 * `cookie`: of a session that is open, such as that of a staff member.
 */
export type OpenOptions = BrowserContextOptions & {
  as?: 'business' | 'operator' | null
  key?: string
  cookie?: string
}

export type ConsolePage = Page & {
  /** Requests to other origins, complaints of the browser's console, and errors of scripts. */
  faults: string[]
  /** @throws AssertionError with the faults */
  assertClean(): void
}

export const desk = { viewport: { width: 1280, height: 800 } } as const
/** A half of a desk, and a desk at 200 % zoom. */
export const half = { viewport: { width: 640, height: 800 } } as const
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/** @param env settings of the server */
export async function consoleWorld(
  env: Record<string, string> = {},
  limits: Partial<FixedLimits> = {},
): Promise<ConsoleWorld> {
  const [world, browser] = await Promise.all([openWorld({ alone: true, env, limits }), launchBrowser()])
  const { apiKey } = world.business
  const { url: baseUrl } = world
  const links = new LocalLinks(world.inside.randomBytes)
  world.server.console.host = { build: () => ({ state: 'built' }), apiKey, links }
  const pages = new Map<string, ConsolePage>()
  const pageFor = async ({ as = 'business', key, cookie, ...options }: OpenOptions): Promise<ConsolePage> => {
    const context = await browser.newContext({ ...usualScreen, baseURL: baseUrl, ...options })
    await slowDown(context)
    const credential = key === undefined ? as && { code: links.create(as) } : { apiKey: key }
    if (cookie !== undefined) await addCookie(context, baseUrl, cookie)
    else if (credential !== null) await signIn(context, credential)
    const page = Object.assign(await context.newPage(), { faults: [], assertClean }) as ConsolePage
    watch(page, baseUrl)
    return page
  }
  return {
    world,
    async open(path, options = {}) {
      const alike = JSON.stringify(options)
      const known = options.as === null ? undefined : pages.get(alike)
      const page = known === undefined || known.isClosed() ? await pageFor(options) : known
      pages.set(alike, page)
      page.faults.length = 0
      await page.goto(`/console${path}`)
      await page.locator('h1').first().waitFor()
      return page
    },
    async stop() {
      await browser.close()
      await world.stop()
    },
  }
}

/** The navigation, which is behind a button where the screen is narrow. */
export async function openNavigation(page: Page): Promise<Locator> {
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const opener = page.getByRole('button', { name: 'Open navigation' })
  await navigation.or(opener).filter({ visible: true }).first().waitFor()
  if (await opener.isVisible()) await opener.click()
  return navigation
}

/** Waits until everything that the page reads is there. The long poll of the live badge stays open. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.animate-pulse, [aria-busy="true"]').first().waitFor({ state: 'detached' })
}

async function addCookie(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const at = cookie.indexOf('=')
  await context.addCookies([{ url, name: cookie.slice(0, at), value: cookie.slice(at + 1), sameSite: 'Strict' }])
}

async function signIn(context: BrowserContext, data: { code: string } | { apiKey: string }): Promise<void> {
  const answer = await context.request.post('/console/session', { headers: { 'x-causeway-console': '1' }, data })
  assert.equal(answer.status(), 200)
}

function watch(page: ConsolePage, baseUrl: string): void {
  page.on('request', (sent) => {
    if (!sent.url().startsWith(baseUrl) && !/^(data|blob):/.test(sent.url())) page.faults.push(`asked ${sent.url()}`)
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => page.faults.push(`error: ${error.message}`))
}

function assertClean(this: ConsolePage): void {
  assert.deepEqual(this.faults, [])
}
