// Shared by the tests of pages and inbox: links created over the sandbox's wire, and a real browser that is watched for errors
// and for requests to other machines.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { lacking } from '../../../scripts/test-needs.ts'
import type { Provider } from './sandbox.ts'

/** The reason to skip tests in a browser, or false when there is a browser. */
export const withoutBrowser = lacking('browser')

export type KycLink = { kycLink: string; tosLink: string }

export const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

export const textProperty = (value: unknown, name: string): string => {
  const text = property(value, name)
  assert.ok(typeof text === 'string', `${name} must be a text in ${JSON.stringify(value)}`)
  return text
}

/** Makes a link to the terms for a future customer. */
export const makeTosLink = async ({ wire }: Provider): Promise<string> =>
  (await wire('POST', '/customers/tos_links')).body.url

export type LinkedPerson = { type?: string; email?: string; full_name?: string; redirect_uri?: string }

export const makeKycLink = async ({ wire }: Provider, person: LinkedPerson = {}): Promise<KycLink> => {
  const email = `${randomUUID()}@example.com`
  const body = { type: 'individual', full_name: 'Ada Lovelace', email, ...person }
  const { body: link } = await wire('POST', '/kyc_links', { body })
  return { kycLink: link.kyc_link, tosLink: link.tos_link }
}

/** Posts JSON to the address of a page, as the page's own script does. */
export const postAsPage = async (address: string, body: unknown): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

export type Site = { origin: string; requests: string[]; [Symbol.asyncDispose]: () => Promise<void> }

/** Starts an integrator's site on another origin. `render` makes the page for a path and query. */
export const startSite = async (render: (address: URL) => string): Promise<Site> => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (address.pathname === '/favicon.ico') return response.writeHead(204).end()
    requests.push(request.url ?? '')
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(render(address))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Watched = { context: BrowserContext; problems: string[]; [Symbol.asyncDispose]: () => Promise<void> }

/** Opens a new browser profile. `problems` collects console errors, uncaught exceptions and requests to other hosts. */
export const openProfile = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> => {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(10_000)
  const problems: string[] = []
  context.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`))
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error().message}`))
  context.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(`request to ${request.url()}`)
  })
  return { context, problems, [Symbol.asyncDispose]: () => context.close() }
}

export type CleanPage = { page: Page; context: BrowserContext; problems: string[] }

const cleanPages = new WeakMap<Browser, CleanPage>()

/** Gives the page that the tests of a browser share, as if new: another page is a renderer process, 0.2 s of CPU. */
export const cleanPage = async (browser: Browser): Promise<CleanPage> => {
  const { page, context, problems } = cleanPages.get(browser) ?? (await openPage(browser))
  cleanPages.set(browser, { page, context, problems })
  for (const popup of context.pages().filter((other) => other !== page)) await popup.close()
  await page.unrouteAll()
  await page.goto('about:blank')
  problems.length = 0
  return { page, context, problems }
}

const openPage = async (browser: Browser): Promise<CleanPage> => {
  const { context, problems } = await openProfile(browser)
  return { page: await context.newPage(), context, problems }
}
