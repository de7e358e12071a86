// Each promise of "Threats and failures" names what holds it: a proof by its script, or a test by its title.

import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { bugs } from '../src/planted-bugs/bugs.ts'
import { rowsWithoutBug } from '../src/planted-bugs/rows.ts'
import { type HeldPromise, promises } from '../src/promises.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts

/** The heads of the proofs on the rig, by script. */
const heads = new Map(
  globSync('packages/proof/src/{*,*/*}/*.ts', { cwd: root }).flatMap((file) => {
    const [, script, rows] = /\bproof\(\{\s*script: '([^']+)',[\s\S]*?\bholds: \[([^\]]*)\]/.exec(read(file)) ?? []
    return script === undefined ? [] : [[script, { file, rows: (rows ?? '').split(',').map(Number) }] as const]
  }),
)

const testTexts = globSync('packages/*/{src,test,e2e}/**/*.test.ts', { cwd: root }).map(read)
const filesWith = (title: string): number =>
  testTexts.filter((text) => ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`))).length

test('each promise has a proof or a test that holds it', () => {
  assert.deepEqual(
    promises.map(({ row }) => row),
    Array.from(promises, (_, at) => at + 1),
  )
  const unheld = promises.filter(({ row, tests = [] }) => tests.length === 0 && proofsOf(row).length === 0)
  assert.deepEqual(
    unheld.map(({ row, promise }) => `${row} ${promise}`),
    [],
  )
})

test('each named test is in exactly one file, and each named proof is a script that is run every night', () => {
  const nightly = read('scripts/nightly.js')
  for (const { row, tests = [] } of promises) {
    for (const title of tests) assert.equal(filesWith(title), 1, `row ${row}: "${title}"`)
    for (const script of proofsOf(row)) {
      assert.ok(scripts[script], `row ${row}: there is no script ${script}`)
      assert.ok(nightly.includes(`['${script}'`), `row ${row}: ${script} is not run every night`)
    }
  }
})

test('each proof on the rig is the script that it says it is, and holds promises that there are', () => {
  assert.ok(heads.size > 0, 'no proof was found')
  for (const [script, { file, rows }] of heads) {
    assert.equal(scripts[script], `node ${file}`)
    for (const row of rows) assert.ok(promises[row - 1], `${script} holds row ${row}, which is none`)
  }
})

test('each failure proof has a planted bug that it catches, and each promise one that breaks it', () => {
  const catching = new Set(bugs.map(({ provenBy }) => provenBy?.script))
  const faults = [...heads].filter(([, { file }]) => file.startsWith('packages/proof/src/faults/'))
  assert.equal(faults.length, readdirSync(join(root, 'packages/proof/src/faults')).length)
  assert.deepEqual(
    faults.map(([script]) => script).filter((script) => !catching.has(script)),
    [],
  )
  assert.deepEqual(rowsWithoutBug(bugs), [])
})

const design = resolve(root, '../shared/design/failures.md')

test('the promises are those of the design, one for one', (t) => {
  const text = textOf(design)
  if (text === null) return t.skip('the design is not here')
  assert.equal(text.match(/^\| \d+ \|/gm)?.length, promises.length)
})

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function proofsOf(row: HeldPromise['row']): readonly string[] {
  const onTheRig = [...heads].filter(([, { rows }]) => rows.includes(row)).map(([script]) => script)
  return [...onTheRig, ...(promises[row - 1]?.proofs ?? [])]
}
