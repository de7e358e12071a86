// The list of planted bugs fits the tree, and the machine that tries them knows a caught one from a test that merely broke.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bugs } from '../src/planted-bugs/bugs.ts'
import { faultsOfList, type PlantedBug } from '../src/planted-bugs/planted-bug.ts'
import { draw } from '../src/planted-bugs/sample.ts'

const root = mkdtempSync(join(tmpdir(), 'causeway-small-tree-'))
const copies = mkdtempSync(join(tmpdir(), 'causeway-small-copies-'))
after(() => {
  for (const made of [root, copies]) rmSync(made, { recursive: true, force: true })
})
const file = 'packages/small/sum.ts'
const sumTest = 'packages/small/sum.test.ts'
mkdirSync(join(root, 'packages/small'), { recursive: true })
const sum = 'export const sum = (left: number, right: number): number => left + right\n'
writeFileSync(join(root, file), sum)
writeFileSync(
  join(root, sumTest),
  `import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sum } from './sum.ts'
describe('a sum', () => {
  test('of 1 and 2 is 3', () => assert.equal(sum(1, 2), 3))
  test('of 2 and 2 is 4', () => assert.equal(sum(2, 2), 4))
})
`,
)
writeFileSync(join(root, 'packages/small/bad.test.ts'), readFileSync(join(root, sumTest), 'utf8').replace('3))', '4))'))

const bug = (name: string, replace: string, test?: string, testFile = sumTest): PlantedBug => ({
  name,
  promise: 'one and one is two',
  file,
  find: 'left + right',
  replace,
  caughtBy: [{ file: testFile, ...(test === undefined ? {} : { test }) }],
})

test('every bug of the list can be planted where it says, and its tests are there', () => {
  assert.deepEqual(faultsOfList(bugs, resolve(import.meta.dirname, '../../..')), [])
  assert.ok(bugs.length >= 40)
})

test('what has rotted in a list is told', () => {
  const good = bug('good', 'left * right')
  assert.deepEqual(faultsOfList([good], root), [])
  const rotten: PlantedBug[] = [
    { ...good, name: 'Not Kebab' },
    { ...good, find: 'left - right' },
    { ...good, find: 'left' },
    { ...good, replace: 'left + right' },
    { ...good, file: 'packages/small/gone.ts' },
    { ...good, also: [{ file, find: 'gone', replace: '' }] },
    bug('no-file', '', undefined, 'packages/small/gone.test.ts'),
    bug('no-test', '', 'of 3 and 3'),
    { ...good, caughtBy: [] },
  ]
  for (const one of rotten) assert.equal(faultsOfList([one], root).length, 1, JSON.stringify(one))
  assert.equal(faultsOfList([good, good], root).length, 1)
})

test('caught is a bug by whose planting an assertion fails that held before, and nothing else; the tree stays as it was', async () => {
  const tried: readonly (readonly [PlantedBug, string | RegExp])[] = [
    [bug('caught', 'left * right'), 'a sum > of 1 and 2 is 3'],
    [bug('caught-by-name', 'left - right', 'of 2 and 2'), 'a sum > of 2 and 2 is 4'],
    [bug('caught-and-left-open', '(setInterval(() => {}, 1_000), left * right)'), 'a sum > of 1 and 2 is 3'],
    [bug('not-caught', 'left * right', 'of 2 and 2'), /passes/],
    [bug('not-even-loaded', 'left +* right'), /broke/],
    [bug('thrown', '(() => { throw new Error("x") })()'), /broke/],
    [bug('unsound', 'left * right', undefined, 'packages/small/bad.test.ts'), /fails without it/],
  ]
  const script = join(root, 'run.ts')
  const campaign = new URL('../src/planted-bugs/campaign.ts', import.meta.url)
  writeFileSync(
    script,
    `import { runCampaign } from ${JSON.stringify(campaign.href)}
const bugs = ${JSON.stringify(tried.map(([one]) => one))}
const verdicts = await runCampaign({ root: ${JSON.stringify(root)}, bugs, signal: new AbortController().signal, say() {} })
console.log(JSON.stringify(verdicts.map(({ caughtBy, reason }) => caughtBy ?? [reason])))`,
  )
  // Node runs no tests inside of tests while it is told that it is in one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { ...env, TMPDIR: copies } })
  const outcomes: (string | [string])[] = JSON.parse(stdout)
  for (const [at, [{ name }, expected]] of tried.entries()) {
    const outcome = outcomes[at]
    if (typeof expected === 'string') assert.equal(outcome, expected, name)
    else assert.match(String(Array.isArray(outcome) && outcome[0]), expected, name)
  }
  assert.equal(readFileSync(join(root, file), 'utf8'), sum)
  assert.deepEqual(readdirSync(copies), [], 'no copy is left')
})

test('a sample is drawn again by its seed, and in time every bug has its turn', () => {
  assert.deepEqual(draw(bugs, 8, 5), draw(bugs, 8, 5))
  const drawn = Array.from({ length: 400 }, (_, seed) => draw(bugs, 8, seed)).flat()
  assert.equal(new Set(drawn).size, bugs.length)
  assert.equal(new Set(draw(bugs, 8, 5)).size, 8)
})
