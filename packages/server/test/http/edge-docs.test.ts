// The pages: they show what they should, nothing of them leaves this host, and nothing of a caller gets into their markup.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { browserPath, lacking } from '../../../../scripts/test-needs.ts'
import type { ApiDocument } from '../../src/app/docs/reference-document.ts'
import { curlOf } from '../../src/app/docs/reference-example.ts'
import { catalogue, categoryOf } from '../../src/platform/errors.ts'
import { html } from '../../src/platform/http/pages/page.ts'
import { edgeServer } from './edge-server.ts'

const edge = await edgeServer()
after(() => edge.stop())

const skip = lacking('browser')
const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))

const browser = skip ? null : await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
after(() => browser?.close())

/** A page of the browser; fails the test when it asks another host for anything or complains. */
async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  assert.ok(browser)
  await using page = await browser.newPage(options)
  const addresses: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await use(page)
  const foreign = addresses.filter((address) => !address.startsWith(edge.url) && !/^(data|blob):/.test(address))
  assert.deepEqual(foreign, [])
  assert.deepEqual(complaints, [], 'nor does the content security policy have to stop anything')
}

test('the reference shows every operation, event and object without a script', { skip }, async () => {
  await withPage({ javaScriptEnabled: false }, async (page) => {
    await page.goto(`${edge.url}/docs`, { waitUntil: 'networkidle' })
    await page.getByRole('heading', { name: 'Causeway API', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Create a virtual account' }).first().click()
    await page.getByRole('heading', { name: 'Create a virtual account' }).waitFor()
    assert.equal(new URL(page.url()).hash, '#createVirtualAccount')
    const text = (await page.locator('main').innerText()).replaceAll('\u200b', '')
    for (const [path, item] of Object.entries<Record<string, { summary: string }>>(document.paths)) {
      assert.ok(text.includes(path), path)
      for (const [method, { summary }] of Object.entries(item)) assert.ok(text.includes(summary), `${method} ${path}`)
    }
    const headings = await page.locator('h3').allInnerTexts()
    // The words of an enumeration stand beside each field of its type.
    const objects = Object.entries<{ enum?: unknown }>(document.components.schemas).filter(([, one]) => !one.enum)
    for (const name of [...Object.keys(document.webhooks), ...objects.map(([title]) => title)])
      assert.ok(headings.includes(name), name)
  })
})

test('the filter of the reference leaves what fits, and says how much that is', { skip }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs`)
    const index = page.getByRole('navigation', { name: 'Index' })
    await page.getByLabel('Filter').fill('kyc links')
    await index.getByRole('link', { name: 'Read where KYC stands' }).waitFor()
    assert.equal(await index.getByRole('link', { name: 'Create a virtual account' }).isVisible(), false)
    assert.match(await page.getByRole('status').innerText(), /^\d+ entr/)
    await page.getByLabel('Filter').fill('no such thing')
    assert.equal(await page.getByRole('status').innerText(), 'Nothing fits')
    await page.getByLabel('Filter').fill('')
    await index.getByRole('link', { name: 'Create a virtual account' }).waitFor()
  })
})

test('the reference is for keyboards and screen readers: a way past the index, headings in order, links that lead', {
  skip,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs`)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    for (const landmark of ['banner', 'main'] as const) assert.equal(await page.getByRole(landmark).count(), 1)
    const levels = (await page.evaluate(
      "[...document.querySelectorAll('h1,h2,h3,h4,h5')].map((heading) => Number(heading.tagName[1]))",
    )) as number[]
    assert.equal(levels.filter((level) => level === 1).length, 1)
    assert.ok(levels.every((level, index) => index === 0 || level <= (levels[index - 1] ?? 0) + 1))
    const broken = await page.evaluate(
      '[...document.querySelectorAll(\'a[href^="#"]\')].map((link) => link.hash.slice(1)).filter((id) => !document.getElementById(id))',
    )
    assert.deepEqual(broken, [])
    const twice =
      '[...document.querySelectorAll("[id]")].map(({ id }) => id).filter((id, at, all) => all.indexOf(id) !== at)'
    assert.deepEqual(await page.evaluate(twice), [])
  })
})

test('each operation of the reference tells its credential, its fields with their rules, and links its errors', async () => {
  const page = (await edge.call('GET', '/docs')).text
  const sections = new Map(page.split('<section class="operation" id="').map((part) => [part.split('"')[0], part]))
  for (const [path, item] of Object.entries<Record<string, DescribedOperation>>(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const section = sections.get(operation.operationId) ?? ''
      const [scheme, scopes = []] = Object.entries(operation.security[0] ?? {})[0] ?? []
      if (scheme === 'operatorSecret') assert.match(section, /Needs the operator secret/)
      for (const scope of scopes) assert.ok(section.includes(`<code>${scope}</code>`), scope)
      assert.ok(
        section.includes(`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}&quot;$CAUSEWAY_URL/v0/`),
      )
      const properties = operation.requestBody?.content['application/json']?.schema.properties ?? {}
      for (const name of Object.keys(properties)) assert.ok(section.includes(`<code class="name">${name}</code>`), name)
      for (const status of Object.keys(operation.responses)) {
        assert.ok(section.includes(`>${status}<`), `${method} ${path} ${status}`)
        for (const code of operation['x-error-codes'][status] ?? [])
          assert.ok(section.includes(`href="/docs/errors/${code}"`), `${method} ${path} ${code}`)
      }
    }
  }
  const create = sections.get('createVirtualAccount') ?? ''
  assert.match(create, /externalUserId<\/code> <span class="type">string<\/span> <strong class="required">required/)
  assert.match(create, /1 to 128 characters · for example <code>user-4711<\/code>/)
  assert.match(create, /one of <code>reject<\/code> <code>wait<\/code>/)
  assert.match(sections.get('listVirtualAccounts') ?? '', /1 to 100 {2}?· default <code>20<\/code>/)
})

type DescribedOperation = {
  operationId: string
  security: Record<string, string[]>[]
  requestBody?: { content: Record<string, { schema: { properties?: object } }> }
  responses: Record<string, unknown>
  'x-error-codes': Record<string, string[]>
}

test('the examples of the reference have bodies that the schemas accept', async () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'api', ...document })
  for (const [path, item] of Object.entries<ApiDocument['paths'][string]>(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!operation.requestBody) continue
      const [, body = ''] = / -d '(.*)'$/s.exec(curlOf(document, method, path, operation)) ?? []
      const pointer = `api#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method}/requestBody/content/application~1json/schema`
      assert.ok(ajv.validate(pointer, JSON.parse(body)), `${method} ${path}: ${body} ${ajv.errorsText()}`)
    }
  }
})

test('the reference comes compressed when wanted, and is not sent again to who has it', async () => {
  const first = await edge.call('GET', '/docs', undefined, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(first.headers.get('content-encoding'), 'gzip')
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await edge.call('GET', '/docs', undefined, { headers: { 'if-none-match': etag } })).status, 304)
})

test('no width from 320 to 1920 pixels makes the reference wider than the screen', { skip }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${edge.url}/docs`)
    for (const width of [320, 340, 768, 900, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    }
  })
})

test('every page forbids, by its policy, to load from or be framed by others', async () => {
  for (const path of ['/', '/docs', '/docs/errors', '/docs/errors/invalid_json']) {
    const answer = await edge.call('GET', path, undefined, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 200, path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /https?:|script-src[^;]*unsafe/)
  }
})

test('the list of errors links a page for each code', async () => {
  const list = await edge.call('GET', '/docs/errors')
  for (const code of Object.keys(catalogue)) assert.ok(list.text.includes(`href="/docs/errors/${code}"`), code)
  for (const code of ['no_such_code', 'toString', '__proto__', '%3Cscript%3E'])
    assert.equal((await edge.call('GET', `/docs/errors/${code}`)).status, 404, code)
})

test('the list of errors goes by category, is found with a slash too, and each page leads back to it', async () => {
  const slash = await edge.call('GET', '/docs/errors/')
  assert.deepEqual([slash.status, slash.headers.get('location')], [308, '/docs/errors'])
  const list = (await edge.call('GET', '/docs/errors')).text
  for (const { status } of Object.values(catalogue)) {
    assert.ok(list.includes(`<h2 id="${categoryOf(status)}"`), categoryOf(status))
    assert.ok(list.includes(`href="#${categoryOf(status)}"`), categoryOf(status))
  }
  for (const code of Object.keys(catalogue))
    assert.ok((await edge.call('GET', `/docs/errors/${code}`)).text.includes('href="/docs/errors"'), code)
})

test('an unknown code is a page for people, which names one that is near, and JSON for programs', async () => {
  const get = (code: string, accept: string) =>
    edge.call('GET', `/docs/errors/${code}`, undefined, { headers: { accept } })
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'
  const page = await get('invalid_jsn', browser)
  assert.equal(page.status, 404)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.ok(page.text.includes('href="/docs/errors/invalid_json"') && page.text.includes('href="/docs/errors"'))
  const hostile = await get('%3Cscript%3Ealert(1)', browser)
  assert.equal(hostile.status, 404)
  assert.ok(!hostile.text.includes('alert'))
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0, */*']) {
    const answer = await get('nope', accept)
    assert.equal(answer.status, 404, accept)
    assert.equal(answer.body.error.code, 'route_not_found', accept)
  }
  const problem = await get('nope', 'application/problem+json, text/html;q=0.9')
  assert.match(problem.headers.get('content-type') ?? '', /^application\/problem\+json/)
})

test('on a narrow screen no page of errors is wider than it, and no code is broken in two', { skip }, async () => {
  assert.ok(browser)
  await using page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  for (const path of ['/docs/errors', '/docs/errors/invalid_developer_fee_percent', '/docs/errors/nope']) {
    await page.goto(`${edge.url}${path}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path)
  }
  await page.goto(`${edge.url}/docs/errors`)
  const lines = "[...document.querySelectorAll('.codes code')].map((code) => code.getClientRects().length)"
  assert.deepEqual([...new Set((await page.evaluate(lines)) as number[])], [1])
})

test('the landing page is HTML for people and JSON for programs, and is not fooled by a Host header', async () => {
  const get = (accept: string) => edge.call('GET', '/', undefined, { headers: { accept } })
  assert.match(
    (await get('text/html,application/xhtml+xml,*/*;q=0.8')).headers.get('content-type') ?? '',
    /^text\/html/,
  )
  assert.equal((await get('application/json')).body.openapi, '/v0/openapi.json')
  for (const host of ['"><script>alert(1)</script>', 'evil.example']) {
    const heard = await edge.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    assert.match(heard, /^HTTP\/1\.1 200 /)
    assert.ok(!heard.includes('alert(1)') && !heard.includes('evil.example'))
    assert.ok(heard.includes(`${edge.url}/v0/whoami`))
    assert.match(heard, /\r\nvary: accept\r\n/i)
  }
})

test('the OpenAPI document comes with a tag, compressed when wanted, and is not sent again to who has it', async () => {
  const first = await edge.call('GET', '/v0/openapi.json', undefined, { headers: { 'accept-encoding': 'identity' } })
  assert.equal(first.body.openapi, '3.1.0')
  assert.equal(first.headers.get('content-encoding'), null)
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{27}"$/)
  const gzipped = await edge.call('GET', '/v0/openapi.json', undefined, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(gzipped.headers.get('content-encoding'), 'gzip')
  assert.equal(gzipped.text, first.text)
  for (const known of [etag, `"other", W/${etag}`, '*']) {
    const again = await edge.call('GET', '/v0/openapi.json', undefined, { headers: { 'if-none-match': known } })
    assert.equal(again.status, 304, known)
    assert.equal(again.text, '')
  }
  const changed = await edge.call('GET', '/v0/openapi.json', undefined, { headers: { 'if-none-match': '"other"' } })
  assert.equal(changed.status, 200)
})

test('markup escapes what is put into it, unless it is markup itself', () => {
  const hostile = `<img src=x onerror="alert('1')">&`
  const inner = html`<b>${hostile}</b>`
  assert.equal(html`<p title="${hostile}">${inner}${[inner, inner]}</p>`.markup.split('<img').length, 1)
  assert.equal(
    html`<i>${inner}</i>`.markup,
    '<i><b>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</b></i>',
  )
})

test('an unknown path is a page for a browser, and JSON in the one shape of errors for a program', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const page = await edge.call('GET', '/no/such/page', undefined, { headers: browser })
  assert.equal(page.status, 404)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.text, /No such page/)
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await edge.call('GET', '/no/such/page', undefined, { headers })
    assert.equal(answer.body.error.code, 'route_not_found')
  }
})
