// The reference of the documentation, its search and its pages as Markdown, as a reader of the site sees them.
// Needs the built site (`npm run docs:build`).

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { boxOf, launchBrowser } from '../../../scripts/test-browser.ts'
import { docsFolder, lacking } from '../../../scripts/test-needs.ts'
import { edgeServer } from './http/edge-server.ts'
import { testDatabase } from './test-database.ts'

const skip = lacking('docs') || lacking('browser')
const database = await testDatabase()
after(() => database.drop())
const edge = await edgeServer({ docsFolder, database: database.connection })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const operations = '/docs/reference/api/operations'

/** A page of the site on a screen of this width. */
async function open(path: string, width = 1280) {
  assert.ok(browser)
  const page = await browser.newPage({
    viewport: { width, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.goto(`${edge.url}${path}`)
  return page
}

test('an operation has its subject as title, says what is not allowed, and folds the error codes that it can return', {
  skip,
}, async () => {
  await using page = await open(`${operations}/createenduser/`)
  assert.equal(await page.locator('h1').textContent(), 'Create an end-user')
  const field = page.locator('.sl-openapi-key', { hasText: 'externalUserId' }).first()
  assert.match(await field.innerText(), /\. and \.\. are not allowed/)
  assert.doesNotMatch(await field.innerText(), /Allowed values/)
  const errors = page.locator('details', { has: page.getByText(/^\d+ error codes$/) })
  const code = errors.getByRole('link', { name: 'end_user_already_exists' })
  assert.equal(await code.isVisible(), false)
  await errors.locator('summary').click()
  assert.equal(await code.getAttribute('href'), '/docs/reference/errors/#end_user_already_exists')
  assert.equal(await errors.getByText('unsupported_currency').count(), 0)
})

test('the request and the response of an operation are beside its text where there is room, else below it', {
  skip,
}, async () => {
  for (const [width, isBeside] of [
    [1280, true],
    [390, false],
  ] as const) {
    await using page = await open(`${operations}/createvirtualaccount/`, width)
    const text = await boxOf(page.locator('.sl-markdown-content'))
    const samples = page.getByRole('complementary', { name: 'Samples' })
    const box = await boxOf(samples)
    assert.equal(box.x >= text.x + text.width, isBeside, `${width}`)
    assert.equal(box.y >= text.y + text.height, !isBeside, `${width}`)
    assert.match(
      await samples.innerText(),
      /Authorization: Bearer \$CAUSEWAY_API_KEY.*"destinationPaymentRail": "solana"/s,
    )
  }
})

test('the largest pages of operations are at most 8,000 px long', { skip }, async () => {
  const bySize = globSync('reference/api/operations/*/index.html', { cwd: docsFolder })
    .map((file) => ({ file, size: statSync(join(docsFolder, file)).size }))
    .sort((one, other) => other.size - one.size)
  for (const { file } of bySize.slice(0, 5)) {
    await using page = await open(`/docs/${file.replace(/index\.html$/, '')}`)
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    assert.ok(height <= 8000, `${file} has ${height} px`)
  }
})

test('the overviews of the reference are named by their subjects', { skip }, async () => {
  const overviews: Record<string, string> = {
    '/docs/reference/api/': 'API reference',
    [`${operations}/tags/virtual-accounts/`]: 'Virtual accounts',
  }
  for (const [path, title] of Object.entries(overviews)) {
    await using page = await open(path)
    assert.equal(await page.locator('h1').textContent(), title)
    assert.equal(await page.title(), `${title} | Causeway`)
  }
})

test('the search finds guides before operations, also by words that they do not use', { skip }, async () => {
  await using page = await open('/docs/start/quickstart/')
  await page.locator('button[data-open-modal]:not([disabled])').click()
  const found: Record<string, string> = {
    idempotency: '/docs/integrate/requests/',
    reconciliation: '/docs/deposits/reconcile/',
    resend: '/docs/webhooks/resend/',
    'where is my deposit': '/docs/support/where-is-my-deposit/',
    'KYC link': '/docs/onboard/link/',
    'roll key': '/docs/integrate/requests/',
  }
  for (const [words, address] of Object.entries(found)) {
    await page.getByRole('dialog').getByRole('textbox').fill(words)
    const first = page.locator('dialog .pagefind-ui__result').first().locator('a').first()
    await page.locator('dialog .pagefind-ui__message', { hasText: new RegExp(`\\d results? for ${words}`) }).waitFor()
    assert.equal((await first.getAttribute('href'))?.replace(/#.*$/, ''), address, words)
  }
})

test('a page is copied as Markdown, guides and operations alike; llms.txt lists them', { skip }, async () => {
  for (const [path, title] of [
    ['/docs/webhooks/endpoints', 'Manage webhook endpoints'],
    [`${operations}/createenduser`, 'Create an end-user'],
  ] as const) {
    await using page = await open(`${path}/`)
    await page.getByRole('link', { name: 'Copy page' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.ok(copied.startsWith(`# ${title}\n`))
    assert.equal(copied, readFileSync(join(docsFolder, `${path.slice('/docs/'.length)}.md`), 'utf8'))
    const list = readFileSync(join(docsFolder, 'llms.txt'), 'utf8')
    assert.ok(list.includes(`- [${title}](${path}.md)`), title)
  }
})

test('a guide as Markdown has the code of its page, and links that lead somewhere', { skip: lacking('docs') }, () => {
  const markdown = globSync('**/*.md', { cwd: docsFolder })
  assert.ok(markdown.length > 100)
  for (const file of markdown) {
    const text = readFileSync(join(docsFolder, file), 'utf8')
    for (const [, target = ''] of text.replace(/^\s*```.*?^\s*```/gms, '').matchAll(/\]\(([^)#\s]*)[^)]*\)/g)) {
      if (target === '' || /^[a-z]+:/.test(target)) continue
      assert.match(target, /^\/docs\//, `${file} links to ${target}`)
      const place = join(docsFolder, target.slice('/docs/'.length), target.endsWith('/') ? 'index.html' : '')
      assert.ok(existsSync(place), `${file} links to ${target}`)
    }
  }
  const quickstart = readFileSync(join(docsFolder, 'start/quickstart.md'), 'utf8')
  assert.match(quickstart, /^import os$/m)
  assert.match(
    readFileSync(join(docsFolder, 'index.md'), 'utf8'),
    /\[Receive webhooks\]\(\/docs\/webhooks\/receive\.md\)/,
  )
})
