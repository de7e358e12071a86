// One page of the console, opened in a fresh browser as for the first time: how long the server took for each request, when
// something was painted, and how much came.

import type { Browser, BrowserContext } from 'playwright-core'

export type PageFigures = {
  path: string
  /** For the slowest API request: from the last byte sent to the first byte of the response. */
  serverMs: number
  slowest: string
  /** First contentful paint. */
  paintMs: number
  /** Compressed, as it came. */
  kB: number
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

/** Signs in as the pages do. @returns the cookie of the session */
export async function signIn(browser: Browser, baseUrl: string, credential: object): Promise<Cookies> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${baseUrl}/healthz`)
  const status = await page.evaluate(async (body) => {
    const headers = { 'x-causeway-console': '1', 'content-type': 'application/json' }
    return (await fetch('/console/session', { method: 'POST', headers, body })).status
  }, JSON.stringify(credential))
  if (status !== 200) throw new Error(`the sign-in was answered ${status}`)
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

type Entry = { name: string; requestStart: number; responseStart: number; transferSize: number }

const settleMs = 1_500

export async function measurePage(
  browser: Browser,
  baseUrl: string,
  path: string,
  cookies: Cookies,
): Promise<PageFigures> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto(`${baseUrl}/console${path}`)
  await page.locator('h1').first().waitFor()
  // The lists are asked for once the page is there; the long poll of the live badge never ends.
  await page.waitForTimeout(settleMs)
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached', timeout: 10_000 })
  const entries = await page.evaluate<Entry[]>(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map(({ name, requestStart, responseStart, transferSize }) => ({ name, requestStart, responseStart, transferSize }))`,
  )
  const paintMs = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity`,
  )
  await context.close()
  const asked = entries
    .filter(({ name }) => name.includes('/v0/') && !name.includes('wait='))
    .map(({ name, requestStart, responseStart }) => ({ ms: responseStart - requestStart, name: new URL(name) }))
    .sort((one, other) => other.ms - one.ms)
  const [slowest] = asked
  const bytes = entries.reduce((sum, { transferSize }) => sum + transferSize, 0)
  return {
    path,
    serverMs: Math.round(slowest?.ms ?? 0),
    slowest: slowest ? slowest.name.pathname + slowest.name.search : '',
    paintMs: Math.round(paintMs),
    kB: Math.round(bytes / 1_000),
  }
}
