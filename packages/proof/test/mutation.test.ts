// Random mutation: a mutant survives a weak test and dies of a strong one, and the list of judged mutants fits the tree.

import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { runCampaign, type Tried } from '../src/mutation/campaign.ts'
import { faultsOfJudged, judgedOf, judgeOf, readJudged } from '../src/mutation/judged.ts'
import { mutate } from '../src/mutation/mutants.ts'
import { testChoice } from '../src/mutation/tests.ts'
import { readTree } from '../src/planted-bugs/tree.ts'

const repository = resolve(import.meta.dirname, '../../..')
const root = mkdtempSync(join(tmpdir(), 'causeway-small-tree-'))
after(() => rmSync(root, { recursive: true, force: true }))

const file = 'packages/server/src/age.rules.ts'
const text = `export function isAdult(age: number): boolean {
  return age >= 18
}
`
const testFile = (name: string, ages: readonly number[]): string => {
  const path = `packages/server/src/${name}.test.ts`
  const asserts = ages.map((age) => `assert.equal(isAdult(${age}), ${age >= 18})`).join('; ')
  writeFileSync(
    join(root, path),
    `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAdult } from './age.rules.ts'
test('${name}', () => { ${asserts} })
`,
  )
  return path
}
mkdirSync(join(root, 'packages/server/src'), { recursive: true })
cpSync(join(repository, 'tsconfig.json'), join(root, 'tsconfig.json'))
symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
writeFileSync(join(root, 'package.json'), '{"type":"module"}')
writeFileSync(join(root, file), text)
const weak = testFile('weak', [3, 30])
const strong = testFile('strong', [3, 18, 30])
const wrong = testFile('wrong', [3])
writeFileSync(join(root, wrong), readFileSync(join(root, wrong), 'utf8').replace('false', 'true'))
const tree = readTree(root)

const tryWith = (tests: readonly string[], msMax = 60_000) =>
  runCampaign({
    ...{ root, tree, files: [file], testsOf: () => tests, seed: 1, msMax },
    ...{ signal: new AbortController().signal, tell() {} },
  })
const by = (tried: readonly Tried[], outcome: Tried['outcome']): string[] =>
  tried
    .filter((one) => one.outcome === outcome)
    .map(({ mutant }) => mutant.replacement.replace(/\s+/g, ' '))
    .sort()

test('a mutant survives a weak test and dies of a strong one, types refuse others, and the tree stays as it was', async () => {
  const weakly = await tryWith([weak])
  assert.deepEqual(by(weakly.tried, 'survived'), ['age > 18'])
  assert.deepEqual(by(weakly.tried, 'killed'), ['age < 18', 'false', 'true'])
  assert.deepEqual(by(weakly.tried, 'invalid'), ['{}'])
  assert.equal(weakly.tried.length, weakly.mutants.length)
  const strongly = await tryWith([weak, strong])
  assert.deepEqual(by(strongly.tried, 'survived'), [])
  assert.deepEqual([...weakly.faults, ...strongly.faults], [])
  assert.equal(readFileSync(join(root, file), 'utf8'), text)
})

test('a test that fails without a mutant is a fault and kills nothing; no time tries nothing', async () => {
  const { tried, faults } = await tryWith([wrong])
  assert.deepEqual(by(tried, 'killed'), [])
  assert.match(String(faults), /wrong\.test\.ts fails without a mutant/)
  assert.deepEqual((await tryWith([weak], 0)).tried, [])
})

test('a judged mutant is found by its words, and an entry whose text is gone is a fault', async () => {
  const { mutants } = await mutate(root, [file])
  const survivor = mutants.find(({ replacement }) => replacement === 'age > 18')
  const other = mutants.find(({ replacement }) => replacement === 'age < 18')
  assert.ok(survivor && other)
  const entry = judgedOf('# A comment\n\nisAdult · return age>=18 → return age > 18 · convenience: an example\n')
  const isJudged = judgeOf(entry, tree)
  assert.deepEqual([isJudged(survivor), isJudged(other)], [true, false])
  assert.deepEqual(faultsOfJudged(entry, tree), [])
  const gone = judgedOf('isAdult · age > 21 → age >= 21 · equivalent: an example')
  assert.match(String(faultsOfJudged(gone, tree)), /Nearest: .*age\.rules\.ts:/)
  assert.throws(() => judgedOf('isAdult · age >= 18 → age > 18 · because'), /judged mutant: .*because/)
})

test('each judged mutant has its place in the tree', () => {
  assert.deepEqual(faultsOfJudged(readJudged(), readTree(repository)), [])
})

test('each test that a mutant is tried with is there, and the tests beside a file come first', () => {
  const tree = readTree(repository)
  const { sourcesOf, tests } = tree
  const testsOf = testChoice(tree)
  const mutated = [...sourcesOf('server').keys()].filter((one) => /\.rules\.ts$|\/webhooks\/delivery\//.test(one))
  const readers = [...sourcesOf('forms').keys()].filter((one) => /src\/[^/]+\.ts$/.test(one))
  assert.ok(mutated.length > 0 && readers.length > 0)
  for (const one of [...mutated, ...readers]) {
    const chosen = testsOf(one)
    assert.ok(chosen.length > 0, `${one} has no test`)
    for (const name of chosen)
      assert.ok(existsSync(join(repository, name.split(' ')[0] ?? '')), `${one}: there is no ${name}`)
    const beside = one.replace(/\.ts$/, '.test.ts')
    if (one.endsWith('.rules.ts') && tests.has(beside)) assert.equal(chosen[0], beside)
  }
})
