// The pages: they show what they should, nothing of them leaves this host, and nothing of a caller gets into their markup.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { chromium } from 'playwright-core'
import { catalogue, categoryOf } from '../../src/errors.ts'
import { html } from '../../src/http/page.ts'
import { edgeServer } from './edge-server.ts'

const edge = await edgeServer()
after(() => edge.stop())

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const skip = executablePath === undefined ? 'no Chromium on this machine' : false

test('the reference shows the operations and asks no other host for anything', { skip }, async () => {
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    const addresses: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${edge.url}/docs`, { waitUntil: 'networkidle' })
    await page.getByRole('heading', { name: 'Causeway API' }).waitFor()
    await page.getByText('Virtual accounts').first().click()
    await page.getByRole('heading', { name: 'Create a virtual account' }).waitFor()
    const foreign = addresses.filter((address) => !address.startsWith(edge.url) && !/^(data|blob):/.test(address))
    assert.deepEqual(foreign, [])
    assert.ok(addresses.includes(`${edge.url}/v0/openapi.json`))
    assert.deepEqual(complaints, [], 'nor does the content security policy have to stop anything')
  } finally {
    await browser.close()
  }
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
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
    for (const path of ['/docs/errors', '/docs/errors/invalid_developer_fee_percent', '/docs/errors/nope']) {
      await page.goto(`${edge.url}${path}`)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path)
    }
    await page.goto(`${edge.url}/docs/errors`)
    const lines = "[...document.querySelectorAll('.codes code')].map((code) => code.getClientRects().length)"
    assert.deepEqual([...new Set((await page.evaluate(lines)) as number[])], [1])
  } finally {
    await browser.close()
  }
})

test('the landing page is HTML for people and JSON for programs, and is not fooled by a Host header', async () => {
  const get = (accept: string) => edge.call('GET', '/', undefined, { headers: { accept } })
  assert.match(
    (await get('text/html,application/xhtml+xml,*/*;q=0.8')).headers.get('content-type') ?? '',
    /^text\/html/,
  )
  assert.equal((await get('application/json')).body.openapi, '/v0/openapi.json')
  const heard = await edge.raw('GET / HTTP/1.1\r\nHost: "><script>alert(1)</script>\r\nConnection: close\r\n\r\n')
  assert.match(heard, /^HTTP\/1\.1 200 /)
  assert.ok(!heard.includes('alert(1)'))
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
