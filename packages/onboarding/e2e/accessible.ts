// Whether a page can be used by everybody, as axe judges it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OnboardingPage } from './onboarding-world.ts'

type Violation = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const runAxe = `axe.run({ resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations)`

export async function assertAccessible(page: OnboardingPage, name: string): Promise<void> {
  assert.equal(await page.locator('h1').count(), 1, `${name}: headings of the first order`)
  await page.evaluate(axe)
  const violations = await page.evaluate<Violation[]>(runAxe)
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(serious.map(wordsOf), [], name)
}

const wordsOf = ({ id, nodes: [first] }: Violation): string => `${id}: ${first?.html} ${first?.failureSummary ?? ''}`
