// Searches the documentation with a reader's words: the right page is among the first three results. The questions are
// the table of docs/README.md. Needs the built site (`npm run docs:build`).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import { docsFolder, lacking } from '../../../scripts/test-needs.ts'
import { edgeServer } from './http/edge-server.ts'

const skip = lacking('docs') || lacking('browser')
const edge = await edgeServer({ docsFolder })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const readme = readFileSync(resolve(import.meta.dirname, '../../../docs/README.md'), 'utf8')
/** Rows of `| question | words | [title](src/content/docs/PAGE.md) |`. */
const rows = readme.matchAll(/^\| [^|]+\? \| ([^|]+) \| \[[^\]]+\]\(src\/content\/docs\/([\w/-]+)\.mdx?\) \|$/gm)
const questions = [...rows].map(([, words = '', page = '']) => ({ words, page: `/docs/${page}/` }))

test('the search finds the page for each question of a reader among its first three results', { skip }, async () => {
  assert.equal(questions.length, 23)
  assert.ok(browser)
  await using page = await browser.newPage()
  await page.goto(`${edge.url}/docs/`)
  await page.locator('button[data-open-modal]:not([disabled])').click()
  const input = page.getByRole('dialog').getByRole('textbox')
  const missed: string[] = []
  for (const { words, page: wanted } of questions) {
    await input.fill(words)
    const message = page.locator('.pagefind-ui__message', { hasText: new RegExp(`(\\d|No) results? for ${words}$`) })
    const shown = Math.min(3, Number.parseInt((await message.textContent()) ?? '', 10))
    const found: string[] = []
    for (let place = 0; place < shown; place += 1) {
      // Each result loads separately: its place is known before its page.
      const link = page.locator('li.pagefind-ui__result').nth(place).locator('.pagefind-ui__result-title a').first()
      found.push(new URL((await link.getAttribute('href')) ?? '', edge.url).pathname)
    }
    if (!found.includes(wanted)) missed.push(`"${words}": ${found.join(', ')} instead of ${wanted}`)
  }
  assert.deepEqual(missed, [])
})
