// The pages of a server without the site of the documentation: they show what they should, nothing of them leaves this host, and
// nothing of a caller gets into their markup.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { launchBrowser } from '../../../../scripts/test-browser.ts'
import { lacking } from '../../../../scripts/test-needs.ts'
import { LocalLinks } from '../../src/console/local-links.ts'
import { catalogue, categoryOf } from '../../src/platform/errors.ts'
import type { SiteBuild } from '../../src/platform/http/pages/built-site.ts'
import { html } from '../../src/platform/http/pages/page.ts'
import { edgeServer } from './edge-server.ts'

const edge = await edgeServer()
after(() => edge.stop())

const skip = lacking('browser')

const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

test('every page forbids, by its policy, to load from or be framed by others', async () => {
  for (const path of ['/', '/docs/errors', '/docs/errors/invalid_json']) {
    const answer = await edge.call('GET', path, undefined, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 200, path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /https?:|script-src/)
  }
})

test('without a site, the documentation is a page that says how to build it and leads on, and programs read the same', async () => {
  for (const path of ['/docs/', '/docs/start/quickstart/']) {
    const page = await edge.call('GET', path, undefined, { headers: { accept: 'text/html' } })
    assert.equal(page.status, 404)
    for (const part of ['npm run docs:build', 'href="/docs/errors"', 'href="/v0/openapi.json"'])
      assert.ok(page.text.includes(part), part)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const { status, body } = await edge.call('GET', path)
    assert.deepEqual([status, body.error.code], [404, 'page_not_built'])
    assert.match(body.error.resolution, /`npm run build`/)
  }
  assert.deepEqual((await edge.call('GET', '/docs/visitor.json')).body, {})
})

test('while the site is being built its page says so and comes again by itself; a failure tells the command and the reason', async () => {
  const local = { apiKey: 'svc_test_key', sandboxUrl: 'http://127.0.0.1:8081' }
  const host = { ...local, build: (): SiteBuild => ({ state: 'building', sinceMs: performance.now() }) }
  const get = () => edge.call('GET', '/docs/', undefined, { headers: { accept: 'text/html' } })
  edge.app.docs.host = host
  const building = await get()
  assert.deepEqual([building.status, building.headers.get('refresh')], [503, '3'])
  assert.match(building.text, /is being built/)
  for (const path of ['/docs/', '/docs/llms.txt', '/docs/start/quickstart/'])
    for (const accept of ['*/*', 'application/json', 'text/plain']) {
      const { status, headers, body } = await edge.call('GET', path, undefined, { headers: { accept } })
      assert.deepEqual([status, headers.get('retry-after'), body.error.code], [503, '3', 'page_building'], path)
      assert.equal(headers.get('cache-control'), 'no-store')
    }
  host.build = () => ({ state: 'failed', reason: 'no <network>', command: 'npm run docs:build' })
  const failed = await get()
  assert.ok(failed.text.includes('no &lt;network&gt;') && failed.text.includes('<code>npm run docs:build</code>'))
  assert.equal(failed.headers.get('refresh'), null)
})

test('the list for language models is found at the root too', async () => {
  const { status, headers } = await edge.call('GET', '/llms.txt')
  assert.deepEqual([status, headers.get('location')], [308, '/docs/llms.txt'])
})

test('the console is 503 while it is being built, and afterwards the page, whatever the caller accepts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-console-'))
  const consoleFolder = join(folder, 'dist')
  after(() => rm(folder, { recursive: true, force: true }))
  const other = await edgeServer({ consoleFolder })
  let build: SiteBuild = { state: 'building', sinceMs: performance.now() }
  const links = new LocalLinks(other.deps.randomBytes)
  other.app.console.host = { apiKey: 'svc_test_key', build: () => build, links }
  const get = (accept: string) => other.call('GET', '/console', undefined, { headers: { accept } })
  for (const accept of ['*/*', 'application/json']) {
    const { status, headers, body } = await get(accept)
    assert.deepEqual([status, headers.get('retry-after'), body.error.code], [503, '3', 'page_building'])
  }
  assert.deepEqual([(await get('text/html')).status], [503])
  await mkdir(consoleFolder)
  await writeFile(join(consoleFolder, 'index.html'), '<title>The console</title>')
  build = { state: 'built' }
  for (const accept of ['*/*', 'application/json', 'text/html']) {
    const { status, text } = await get(accept)
    assert.deepEqual([status, text], [200, '<title>The console</title>'], accept)
  }
  await other.stop()
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
  edge.app.docs.host = null
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

test('the landing page is a door to the console and the documentation; in a local environment it is the console', async () => {
  const get = (accept: string) => edge.call('GET', '/', undefined, { headers: { accept } })
  const read = async () => (await get('text/html')).text.match(/(?<=<a href=")[^"]+/g)
  const pages = ['/console/', '/docs/']
  edge.app.docs.host = null
  const before = await read()
  for (const path of pages) assert.ok(before?.includes(path), path)
  const local = { apiKey: 'svc_test_key', sandboxUrl: 'http://127.0.0.1:8081' }
  edge.app.docs.host = { ...local, build: () => ({ state: 'built' }) }
  const [page, program] = [await get('text/html'), await get('application/json')]
  edge.app.docs.host = null
  assert.deepEqual([page.status, page.headers.get('location')], [302, '/console/'])
  assert.equal(program.body.openapi, '/v0/openapi.json')
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
  assert.match(page.text, /Page not found/)
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await edge.call('GET', '/no/such/page', undefined, { headers })
    assert.equal(answer.body.error.code, 'route_not_found')
  }
})
