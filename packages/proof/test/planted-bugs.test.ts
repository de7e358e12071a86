// The list of planted bugs fits the tree, and the machine that tries them knows a caught one from a test that merely broke.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a title is written as its test file spells it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bugs } from '../src/planted-bugs/bugs.ts'
import { faultsOfList } from '../src/planted-bugs/check.ts'
import { placesOf } from '../src/planted-bugs/place.ts'
import { isTested, type PlantedBug, type TestedBug } from '../src/planted-bugs/planted-bug.ts'
import { judge } from '../src/planted-bugs/proof-run.ts'
import { draw } from '../src/planted-bugs/sample.ts'
import { readTree } from '../src/planted-bugs/tree.ts'

const root = mkdtempSync(join(tmpdir(), 'causeway-small-tree-'))
const copies = mkdtempSync(join(tmpdir(), 'causeway-small-copies-'))
after(() => {
  for (const made of [root, copies]) rmSync(made, { recursive: true, force: true })
})
const file = 'packages/sdk/src/sum.ts'
const sumTest = 'packages/sdk/test/sum.test.ts'
const text = `export const sum = (left: number, right: number): number => left + right
export class Total {
  #value = 0
  add(value: number): void { this.#value += value }
  remove(value: number): void { this.#value -= value }
  both(one: number, two: number): void {
    this.add(
      one,
    )
    this.add(two)
  }
}
`
const tests = `import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sum } from '../src/sum.ts'
describe('a sum', () => {
  test('of 1 and 2 is 3', () => assert.equal(sum(1, 2), 3))
  test('of 2 and 2 is 4', () => assert.equal(sum(2, 2), 4))
  for (const [left, right] of [[3, 4], [5, 5]] as const)
    test(\`of \${left} and \${right}, from a table\`, () => assert.equal(sum(left, right), left + right))
})
`
for (const folder of ['src', 'test']) mkdirSync(join(root, 'packages/sdk', folder), { recursive: true })
writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { chaos: 'node' } }))
writeFileSync(join(root, '.npmrc'), 'ignore-scripts=true\n')
writeFileSync(join(root, 'packages/sdk/package.json'), '{ "dependencies": { "fastify": "5.0.0" } }')
writeFileSync(join(root, file), text)
writeFileSync(join(root, sumTest), tests)
writeFileSync(
  join(root, 'packages/sdk/test/bad.test.ts'),
  tests.replace('3))', '4))').replace('a sum', 'a bad sum').replaceAll('of 1', 'with 1').replaceAll('of 2', 'with 2'),
)
const tree = readTree(root)

const bug = (name: string, replace: string, caughtBy: string): TestedBug => ({
  name,
  promise: 'one and one is two',
  row: null,
  in: 'sdk',
  find: 'left + right',
  replace,
  caughtBy: [caughtBy],
})
const good = bug('good', 'left * right', 'of 1 and 2 is 3')

test('a text is found by its tokens, whatever its indentation, line breaks and trailing commas are', () => {
  const found = (find: string, within?: string): string[] =>
    placesOf({ find, ...(within === undefined ? {} : { within }) }, tree.sourcesOf('sdk')).map(({ start, end }) =>
      text.slice(start, end),
    )
  assert.deepEqual(found('left\n  + right'), ['left + right'])
  assert.deepEqual(found('this.add(one)'), ['this.add(\n      one,\n    )'])
  assert.deepEqual(found('this.add(two,)'), ['this.add(two)'])
  assert.deepEqual(found('eft + right'), [], 'no part of a word')
  assert.deepEqual(found('value: number').length, 2)
  assert.deepEqual(found('value: number', 'remove'), ['value: number'])
  assert.deepEqual(found('value: number', 'Total').length, 2)
  assert.deepEqual(found('value: number', 'sum'), [])
})

test('a text of a manifest is found too, and one of what npm reads for the whole workspace', () => {
  const files = (name: string, find: string) => placesOf({ find }, tree.sourcesOf(name)).map((place) => place.file)
  assert.deepEqual(files('sdk', '"fastify": "'), ['packages/sdk/package.json'])
  assert.deepEqual(files('workspace', 'ignore-scripts=true'), ['.npmrc'])
})

test('the check names each fault of a list, and the nearest place of a text that is gone', () => {
  assert.deepEqual(faultsOfList([good], tree), [])
  const { caughtBy: _, ...uncaught } = good
  const faulty: readonly (readonly [PlantedBug, RegExp])[] = [
    [{ ...good, name: 'Not Kebab' }, /kebab/],
    [{ ...good, row: 99 }, /row 99/],
    [{ ...good, find: 'this.#value += amount' }, /Nearest: packages\/sdk\/src\/sum\.ts:4: .*this\.#value \+=/],
    [{ ...good, find: 'value: number' }, /2 times: .*sum\.ts:4: .*sum\.ts:5: /],
    [{ ...good, within: 'remove' }, /not in sdk, within remove/],
    [{ ...good, replace: 'left + right' }, /by itself/],
    [{ ...good, in: 'cli' }, /not in cli\.$/],
    [{ ...good, also: [{ in: 'sdk', find: 'gone', replace: '' }] }, /"gone"/],
    [bug('no-test', '', 'of 3 and 3'), /no test has "of 3 and 3"/],
    [bug('two-files', '', 'from a table'), /is in .*bad\.test\.ts, .*sum\.test\.ts/],
    [{ ...uncaught, provenBy: { script: 'gone', args: [] } }, /no script "gone"/],
  ]
  for (const [one, expected] of faulty) {
    const [fault = '', ...more] = faultsOfList([one], tree)
    assert.match(fault, expected)
    assert.deepEqual(more, [])
  }
  assert.match(String(faultsOfList([good, good], tree)), /used twice/)
  assert.deepEqual(faultsOfList([{ ...uncaught, provenBy: { script: 'chaos', args: [] } }], tree), [])
  assert.deepEqual(faultsOfList([bug('by-table', '', 'a sum > from a table')], tree), [])
})

test('a proof catches a bug when it judged and failed, and not when it broke', () => {
  const outcome = (code: number | null, stdout: string, stderr = '') => judge('proof:redis', { code, stdout, stderr })
  assert.deepEqual(outcome(0, '{"lost":0}\n'), { passed: true, faults: [], summary: 'passes' })
  assert.deepEqual(outcome(1, 'redis: --seed 1\n{"lost":2}\n', 'redis: 2 events were lost\n').faults, [
    'redis: 2 events were lost',
  ])
  assert.deepEqual(outcome(1, '{"lost":2}\n').faults, ['{"lost":2}'])
  assert.deepEqual(outcome(1, 'proof:redis: --seed 1\n', 'Error: listen EADDRINUSE\n').faults, [])
  for (const code of [2, 64, 130, 143, null]) assert.deepEqual(outcome(code, '{"lost":2}\n', 'redis: x\n').faults, [])
})

test('caught is a bug by whose planting an assertion fails that held before, and nothing else; the tree stays as it was', async () => {
  const first = 'of 1 and 2 is 3'
  const tried: readonly (readonly [TestedBug, string | RegExp])[] = [
    [good, 'a sum > of 1 and 2 is 3'],
    [bug('caught-by-name', 'left - right', 'of 2 and 2'), 'a sum > of 2 and 2 is 4'],
    [
      bug('caught-in-a-table', 'left * right', 'a sum > of ${left} and ${right}, from'),
      'a sum > of 3 and 4, from a table',
    ],
    [bug('caught-and-left-open', '(setInterval(() => {}, 1_000), left * right)', first), 'a sum > of 1 and 2 is 3'],
    [bug('not-caught', 'left * right', 'of 2 and 2'), /passes/],
    [bug('not-even-loaded', 'left +* right', first), /broke/],
    [bug('thrown', '(() => { throw new Error("x") })()', first), /broke/],
    [bug('unsound', 'left * right', 'with 1 and 2'), /fails without it/],
  ]
  const script = join(root, 'run.ts')
  const sources = new URL('../src/planted-bugs/', import.meta.url)
  writeFileSync(
    script,
    `import { runCampaign } from '${sources.href}campaign.ts'
import { readTree } from '${sources.href}tree.ts'
const root = ${JSON.stringify(root)}
const bugs = ${JSON.stringify(tried.map(([one]) => one))}
const verdicts = await runCampaign({ root, tree: readTree(root), bugs, signal: new AbortController().signal, say() {} })
console.log(JSON.stringify(verdicts.map(({ caughtBy, reason }) => caughtBy ?? [reason])))`,
  )
  // Node runs no nested tests while this variable says that a test is running.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { ...env, TMPDIR: copies } })
  const outcomes: (string | [string])[] = JSON.parse(stdout)
  for (const [at, [{ name }, expected]] of tried.entries()) {
    const outcome = outcomes[at]
    if (typeof expected === 'string') assert.equal(outcome, expected, name)
    else assert.match(String(Array.isArray(outcome) && outcome[0]), expected, name)
  }
  assert.equal(readFileSync(join(root, file), 'utf8'), text)
  assert.deepEqual(readdirSync(copies), [], 'no copy is left')
})

test('a sample is drawn again by its seed, from different rows first, and in time every bug is drawn', () => {
  const tested = bugs.filter(isTested)
  assert.deepEqual(draw(tested, 8, 5), draw(tested, 8, 5))
  const samples = Array.from({ length: 2_000 }, (_, seed) => draw(tested, 8, seed))
  for (const sample of samples) assert.equal(new Set(sample.map(({ row }) => row)).size, 8)
  assert.equal(new Set(samples.flat()).size, tested.length)
})
