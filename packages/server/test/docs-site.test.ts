// The documentation as the server sends it: every page whole without a script, every link with an end, nothing from another host.
// Needs the built site (`npm run docs:build`).

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import { docsFolder, lacking } from '../../../scripts/test-needs.ts'
import { issueApiKey } from '../src/businesses/api-keys.ts'
import { createBusiness } from '../src/businesses/service.ts'
import { until } from './caller.ts'
import { signIn } from './console-browser.ts'
import { edgeServer } from './http/edge-server.ts'
import { testDatabase } from './test-database.ts'

const root = join(import.meta.dirname, '../../..')
const skip = lacking('docs')
const skipBrowser = skip || lacking('browser')
const database = await testDatabase()
after(() => database.drop())
const edge = await edgeServer({ docsFolder, database: database.connection })
const browser = skipBrowser ? null : await launchBrowser()
after(() => browser?.close())

type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }

/** One request, its body as it was sent. */
function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request(`${edge.url}${path}`, { headers: { accept: 'text/html', ...headers } }, async (response) => {
    const body = Buffer.concat(await response.toArray())
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
  })
  sent.on('error', reject).end()
  return promise
}

const files = globSync('**/*.html', { cwd: docsFolder }).map((file): [string, string] => [
  `/docs/${file.replace(/index\.html$/, '')}`,
  readFileSync(join(docsFolder, file), 'utf8'),
])
/** Where the old address of a page leads. */
const leadsTo = (page: string): string | undefined => /http-equiv="refresh" content="0;url=([^"]+)"/.exec(page)?.[1]
/** The pages of the site by their addresses. */
const pages = new Map(files.filter(([, page]) => leadsTo(page) === undefined))
const gzipBytesMax = 60_000

test('every page is sent compressed, with a title, a heading and its text, in at most 60 kB', { skip }, async () => {
  assert.ok(pages.size > 100)
  for (const [path, page] of pages) {
    const { status, headers, body } = await get(path, { 'accept-encoding': 'gzip' })
    assert.deepEqual([status, headers['content-encoding'], headers['cache-control']], [200, 'gzip', 'no-cache'], path)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.ok(body.length <= gzipBytesMax, `${path} has ${body.length} bytes`)
    assert.match(page, /<title>[^<]+<\/title>/, path)
    assert.equal(page.match(/<h1[ >]/g)?.length, 1, path)
    const text = /<main[^>]*>(.*)<\/main>/s.exec(page)?.[1]?.replace(/<[^>]+>/g, ' ') ?? ''
    const wordsMin = path === '/docs/404.html' ? 5 : 25
    assert.ok(text.split(/\s+/).length > wordsMin, `${path} says something without a script`)
  }
})

test('every link leads to a page and to a place on it that exist, and every file that a page names is there', {
  skip,
}, async () => {
  const anchors = new Map([...pages].map(([path, page]) => [path, new Set(page.match(/(?<=\sid=")[^"]+/g))]))
  const assets = new Set<string>()
  const broken: string[] = []
  for (const [path, page] of pages) {
    for (const [tag, name = '', target = ''] of page.matchAll(/<[a-z]+[^>]*?\s(href|src)="([^"]*)"/g)) {
      if (tag.includes('rel="canonical"')) continue
      const url = new URL(target.replaceAll('&amp;', '&'), `${edge.url}${path}`)
      if (url.origin !== edge.url) {
        if (name === 'src' || tag.startsWith('<link')) broken.push(`${path} loads ${target}`)
      } else if (pages.has(url.pathname)) {
        const anchor = decodeURIComponent(url.hash.slice(1))
        if (anchor !== '' && !anchors.get(url.pathname)?.has(anchor)) broken.push(`${path} → ${target}`)
      } else assets.add(url.pathname)
    }
  }
  for (const path of assets)
    if ((await get(path, { accept: '*/*' })).status !== 200) broken.push(`somebody names ${path}`)
  assert.deepEqual(broken, [])
})

test('every old address of a page leads to a page of the site', { skip }, async () => {
  const redirects = JSON.parse(readFileSync(join(docsFolder, '../redirects.json'), 'utf8')) as Record<string, string>
  for (const [from, to] of Object.entries(redirects)) {
    const { status, body } = await get(`/docs${from}/`)
    assert.deepEqual([status, leadsTo(body.toString())], [200, `/docs${to}`], from)
    assert.ok(pages.has(`/docs${to.replace(/#.*$/, '')}`), to)
  }
})

test('every page that a program names exists', { skip }, () => {
  const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.gen.'))
  const named = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/[`'"(](\/docs\/[a-z][a-z/-]*)[`'#"]/g)].map(
      ([, path = '']) => path,
    ),
  )
  assert.ok(named.includes('/docs/reference/api/'))
  const addresses = named.filter((path) => !/^\/docs\/errors\/?$/.test(path)) // the route of each code's address
  for (const path of addresses) assert.ok(pages.has(path.replace(/\/?$/, '/')), path)
})

test('the policy names every inline script of every page by its hash, and no other host', { skip }, async () => {
  const policy = String((await get('/docs/')).headers['content-security-policy'])
  assert.doesNotMatch(policy, /https?:|script-src[^;]*unsafe-inline|script-src[^;]*'unsafe-eval'/)
  for (const [path, page] of pages) {
    for (const [, script = ''] of page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs))
      assert.ok(
        policy.includes(createHash('sha256').update(script).digest('base64')),
        `${path}: ${script.slice(0, 80)}`,
      )
  }
})

test('what has a hash in its name is kept, what has none is asked for again; an unknown page is one, and 404', {
  skip,
}, async () => {
  const { headers } = await get('/docs/')
  const again = await get('/docs/', { 'if-none-match': String(headers['etag']) })
  assert.deepEqual([again.status, again.body.length], [304, 0])
  const asset = globSync('_astro/*.js', { cwd: docsFolder })[0]
  const script = await get(`/docs/${asset}`)
  assert.deepEqual(
    [script.headers['content-type'], script.headers['cache-control']],
    ['application/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  )
  const moved = await get('/docs/start/quickstart?from=mail')
  assert.deepEqual([moved.status, moved.headers['location']], [308, '/docs/start/quickstart/'])
  const unknown = await get('/docs/no/such/page/', { 'if-none-match': '*' })
  assert.equal(unknown.status, 404)
  assert.match(unknown.body.toString(), /<h1/)
  for (const path of [
    '/docs/no/such/page/',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
  ])
    assert.equal((await get(path, { accept: '*/*' })).status, 404, path)
})

test('errors lead from the address in an answer to their place; pages are there as Markdown too', {
  skip,
}, async () => {
  const { status, headers } = await get('/docs/errors/kyc_not_approved')
  assert.deepEqual([status, headers['location']], [302, '/docs/reference/errors/#kyc_not_approved'])
  assert.match(pages.get('/docs/reference/errors/') ?? '', /id="kyc_not_approved"/)
  assert.equal((await get('/docs/errors/nope')).status, 404)
  const markdown = await get('/docs/reference/errors.md', { accept: '*/*' })
  assert.match(String(markdown.headers['content-type']), /^text\/markdown/)
  assert.match(markdown.body.toString(), /^# Errors\n.*### kyc_not_approved/s)
  assert.match((await get('/docs/llms.txt', { accept: '*/*' })).body.toString(), /\/docs\/llms-full\.txt/)
  assert.match((await get('/docs/llms-full.txt', { accept: '*/*' })).body.toString(), /# Quickstart/)
})

/** A page of the browser; fails the test when it asks another host for anything or complains. */
async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  assert.ok(browser)
  await using page = await browser.newPage(options)
  const foreign: string[] = []
  const complaints: string[] = []
  page.on('request', (sent) => {
    if (!sent.url().startsWith(edge.url) && !/^(data|blob):/.test(sent.url())) foreign.push(sent.url())
  })
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const failed: string[] = []
  page.on('requestfailed', (sent) => failed.push(`${sent.url()}: ${sent.failure()?.errorText}`))
  await use(page).catch((cause: unknown) => {
    throw new Error(
      `${cause instanceof Error ? cause.message : cause}; the page said ${JSON.stringify([...complaints, ...failed])}`,
      {
        cause,
      },
    )
  })
  assert.deepEqual([foreign, complaints], [[], []], 'the policy does not have to stop anything')
}

// The shortest of its kind: axe reads every word.
const kinds = ['/docs/', '/docs/webhooks/best-practices/', '/docs/reference/api/operations/deletewebhookurl/']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

for (const [name, options] of Object.entries({
  'in the light': { colorScheme: 'light' },
  'in the dark': { colorScheme: 'dark' },
  'on a telephone': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} satisfies Record<string, BrowserContextOptions>)) {
  test(`pages of each kind have no serious fault of accessibility and fit the screen ${name}`, {
    skip: skipBrowser,
  }, async () => {
    await withPage(options, async (page) => {
      for (const path of kinds) {
        await page.goto(`${edge.url}${path}`)
        // Blocks of code that are wider than the screen can be reached by the keyboard as soon as their script has run.
        const unreached =
          "[...document.querySelectorAll('pre:not([tabindex])')].filter((pre) => pre.scrollWidth > pre.clientWidth).length"
        await until('the script to look at the width', async () => (await page.evaluate(unreached)) === 0)
        await page.evaluate(axe)
        const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
          'axe.run().then(({ violations }) => violations)',
        )
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        assert.deepEqual(
          serious.map(({ id, nodes }) => [path, id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]),
          [],
        )
        const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        assert.equal(await page.evaluate(wider), 0, path)
      }
    })
  })
}

test('by the keyboard: a way past the navigation, a search by / that finds guides and operations', {
  skip: skipBrowser,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs/start/quickstart/`)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Skip to content')
    await page.keyboard.press('Enter')
    assert.equal(new URL(page.url()).hash, '#_top')
    await page.locator('button[data-open-modal]:not([disabled])').waitFor()
    await page.keyboard.press('/')
    const input = page.getByRole('dialog').getByRole('textbox')
    await input.fill('rotate signing secret')
    await page.locator('dialog a[href*="/docs/webhooks/"]').first().waitFor()
    await input.fill('create a virtual account')
    await page.locator('dialog a[href*="/operations/createvirtualaccount"]').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })
})

test('languages stay in step from page to page; arrows move between them', { skip: skipBrowser }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs/reference/api/operations/createvirtualaccount/`)
    await page.getByRole('tab', { name: 'TypeScript', exact: true }).click()
    await page.goto(`${edge.url}/docs/reference/api/operations/createenduser/`)
    await page.locator('pre', { hasText: 'causeway.endUsers.create' }).first().waitFor()
    await page.goto(`${edge.url}/docs/`)
    const tab = (name: string) => page.getByRole('tab', { name, exact: true }).first()
    assert.equal(await tab('TypeScript').getAttribute('aria-selected'), 'true')
    await tab('TypeScript').focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await tab('Python').getAttribute('aria-selected'), 'true')
    await page.goto(`${edge.url}/docs/reference/api/operations/createenduser/`)
    await page.locator('pre', { hasText: 'import httpx' }).first().waitFor()
  })
})

test('events are a list of folded entries; a link to one opens it', { skip: skipBrowser }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs/reference/events/`)
    const screens = await page.evaluate<number>('document.documentElement.scrollHeight / innerHeight')
    assert.ok(screens < 15, `the page has ${screens} screens`)
    const example = page.locator('pre', { hasText: '"event_type": "virtual_account.payment.received"' })
    assert.equal(await example.isVisible(), false)
    await page.getByRole('link', { name: 'virtual_account.payment.received' }).first().click()
    await example.waitFor()
    await page.goto(`${edge.url}/docs/reference/events/?again#deposit`)
    await page.locator('td', { hasText: 'destinationTxHash' }).first().waitFor()
    assert.equal(await example.isVisible(), false)
  })
})

test('in a local environment the examples have the address of the server, and a copy has the key of the signed-in reader', {
  skip: skipBrowser,
}, async () => {
  const { id } = await createBusiness(edge.deps, { name: 'Reader' })
  const { key: apiKey } = await issueApiKey(edge.deps, id, {})
  const sandboxUrl = 'http://127.0.0.1:18081'
  edge.app.docs.host = { apiKey, sandboxUrl, build: () => ({ state: 'built' }) }
  const [name = '', value = ''] = (await signIn(edge.url, { apiKey })).cookie.split('=')
  await withPage({}, async (page) => {
    await page.context().addCookies([{ name, value, url: edge.url }])
    await page.goto(`${edge.url}/docs/reference/api/operations/createvirtualaccount/`)
    const sample = page.locator('pre', { hasText: edge.url }).first()
    assert.match(await sample.innerText(), /Bearer \$CAUSEWAY_API_KEY/)
    await page.locator(`button[title="Copy with your API key"][data-code*="Bearer ${apiKey}"]`).first().waitFor()
    assert.equal(await page.locator('pre', { hasText: apiKey }).count(), 0)
    for (const path of ['webhooks/endpoints', 'reference/sandbox']) {
      await page.goto(`${edge.url}/docs/${path}/`)
      await page.locator(`button[data-code*="${sandboxUrl}"]`).first().waitFor()
      await page.locator('pre', { hasText: sandboxUrl }).first().waitFor()
      assert.equal(await page.locator('pre', { hasText: 'http://127.0.0.1:8081' }).count(), 0)
    }
  })
  edge.app.docs.host = null
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs/reference/api/operations/createvirtualaccount/`, { waitUntil: 'networkidle' })
    assert.equal(await page.locator(`button[data-code*="${apiKey}"]`).count(), 0)
  })
})
