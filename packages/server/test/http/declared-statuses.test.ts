// Every status that openapi.json declares for an operation is proven: a test in the operation's own file has a name that begins
// with the status, or the matrix of all operations proves it. scripts/test-statuses.ts checks the names when the tests run.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operations } from '../caller.ts'
import { claimedStatuses } from './claimed-statuses.ts'
import { isProvenByMatrix } from './operation-matrix.ts'
import { fileNameOf, operationOfFile } from './test-names.ts'

const folder = new URL('./', import.meta.url)
const proven = new Map<string, Set<number>>(operations.map(({ id }) => [id, new Set()]))
for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.ts'))) {
  const operation = operationOfFile(file)
  if (operation === undefined) continue
  for (const status of claimedStatuses(readFileSync(new URL(file, folder), 'utf8')))
    proven.get(operation.id)?.add(status)
}

test('every declared status of every operation is proven by a test', () => {
  const gaps = operations.flatMap((operation) => {
    const open = operation.statuses.filter(
      (status) => !proven.get(operation.id)?.has(status) && !isProvenByMatrix(operation, status),
    )
    return open.length > 0 ? [`${operation.id} (${fileNameOf(operation)}.test.ts): ${open.join(', ')}`] : []
  })
  assert.deepEqual(gaps, [])
})

test('no test proves a status that its operation does not declare', () => {
  const surplus = operations.flatMap(({ id, statuses }) => {
    const undeclared = [...(proven.get(id) ?? [])].filter((status) => !statuses.includes(status))
    return undeclared.length > 0 ? [`${id}: ${undeclared.join(', ')}`] : []
  })
  assert.deepEqual(surplus, [])
})

test('statuses are read from the names of tests that run, and from nothing else', () => {
  const text = `
    test('404 and 409 a name', () => {})
    test('503, then 200 a name', async () => {})
    test(\`504, and \${what}\`, () => {})
    test('every 422 in the middle', () => {})
    test('5000 rows', () => {})
    // test('400 a comment', () => {})
    test.skip('401 skipped', () => {})
    test('403 not here', { skip: true }, () => {})
    test('429 some day', { todo: 'later' }, () => {})
    log("test('413 a text')")
  `
  assert.deepEqual(claimedStatuses(text), [404, 409, 503, 200, 504])
})

test('statuses of a table are those of the column that begins the name', () => {
  const text = `
    const rows: [string, number, number][] = [['refused', 400, 422], ['slow', 408, 504]]
    describe('one', () => {
      for (const [what, upstream, status] of rows) test(\`\${status} \${what}\`, () => {})
    })
    for (const [status, code] of [[503, 'away']] as const) { test(\`\${status} \${code}\`, () => {}) }
    for (const [status] of []) test(\`\${status} of no row\`, () => {})
  `
  assert.deepEqual(claimedStatuses(text), [422, 504, 503])
})
