// A local environment and a browser for the tests of the onboarding page: the real server with the built page, the real
// sandbox provider, Chromium. A request of a page to another origin except the provider's, and any message in its
// console, fails the test.

import assert from 'node:assert/strict'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Page,
} from 'playwright-core'
import { browserOptions, slowDown, usualScreen } from '../../../scripts/test-browser.ts'
import { freshUserId } from '../../server/test/people.ts'
import { openWorld, type World, type WorldPlan } from '../../server/test/world.ts'

export const desk = { viewport: { width: 1280, height: 800 } } as const
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const

export type Applicant = { externalUserId: string; link: { id: string; url: string } }

export type OnboardingWorld = {
  world: World
  browser: Browser
  /** A new end-user with a link. */
  applicant(body?: { type?: string; [option: string]: unknown }): Promise<Applicant>
  /** Makes a link of an end-user who is there. */
  linkFor(externalUserId: string, body?: object): Promise<Applicant['link']>
  /** Opens a URL in a new browser. */
  open(url: string, options?: BrowserContextOptions): Promise<OnboardingPage>
  stop(): Promise<void>
}

/** `faults`: requests to foreign origins, complaints of the browser's console, errors of scripts. */
export type OnboardingPage = Page & { faults: string[] }

/** Chromium's fake camera, which asks for no permission. */
const withCamera = {
  ...browserOptions,
  args: [...(browserOptions.args ?? []), '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
}

export type WorldOptions = Omit<WorldPlan, 'alone'>

export async function onboardingWorld(options: WorldOptions = {}): Promise<OnboardingWorld> {
  const [world, browser] = await Promise.all([openWorld({ alone: true, ...options }), chromium.launch(withCamera)])
  world.server.onboarding.build = () => ({ state: 'built' })
  const contexts: BrowserContext[] = []
  const linkFor: OnboardingWorld['linkFor'] = async (externalUserId, body = {}) => {
    const made = await world.business.call('POST', `/v0/end-users/${externalUserId}/onboarding-links`, body)
    assert.equal(made.status, 200, made.text)
    return made.body.data
  }
  return {
    world,
    browser,
    linkFor,
    async applicant({ type = 'individual', ...body } = {}) {
      const externalUserId = freshUserId()
      const user = { externalUserId, type, email: `${externalUserId}@example.com` }
      const made = await world.business.call('POST', '/v0/end-users', user)
      assert.equal(made.status, 200, made.text)
      return { externalUserId, link: await linkFor(externalUserId, body) }
    },
    async open(url, options = {}) {
      const context = await browser.newContext({ ...usualScreen, locale: 'en-US', ...options })
      contexts.push(context)
      await slowDown(context)
      const page = Object.assign(await context.newPage(), { faults: [] }) as OnboardingPage
      watch(page, [world.url, world.provider.origin])
      await page.goto(url)
      return page
    },
    async stop() {
      for (const context of contexts) await context.close()
      await browser.close()
      await world.stop()
    },
  }
}

/** @param origins that the page and what it frames may ask */
export function watch(page: OnboardingPage, origins: readonly string[]): void {
  const hosts = origins.flatMap((origin) => [origin, origin.replace('127.0.0.1', 'localhost')])
  page.on('request', (sent) => {
    const url = sent.url()
    if (!hosts.some((origin) => url.startsWith(origin)) && !/^(data|blob|about):/.test(url))
      page.faults.push(`asked ${url}`)
  })
  page.on('console', (message) => {
    // A response about an invalid value is not an error.
    const isRefusal = message.text().includes('status of 400')
    if (!isRefusal && ['error', 'warning'].includes(message.type())) page.faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => page.faults.push(`error: ${error.message}`))
}

/** The heading of the step that is shown. */
export const heading = (page: Page | Frame): Promise<string> => page.locator('h1').innerText()

export const button = (page: Page | Frame, name: string) => page.getByRole('button', { name, exact: true })
