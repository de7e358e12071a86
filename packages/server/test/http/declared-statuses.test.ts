// No status is declared in openapi.json that no test proves: each (operation, status) has a test in the operation's own
// file whose name begins with the status, or follows from how the operation is guarded and is proven by the matrix.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operations } from '../api-contract.ts'
import { isProvenByMatrix } from './operation-matrix.ts'

const folder = new URL('./', import.meta.url)
const fileNameOf = (operationId: string) => operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const fileNames = operations.map(({ id }) => fileNameOf(id))

/** Of `list-deposits-of-virtual-account.test.ts` both `list-deposits` and the longer name are a beginning: the longest counts. */
function ownerOf(file: string): string | undefined {
  const owners = fileNames.filter((name) => file.startsWith(`${name}.`) || file.startsWith(`${name}-`))
  return owners.sort((one, other) => other.length - one.length)[0]
}

/** Statuses that names of tests begin with: `test('404 …`, in any quotes; `404 and 409 …` proves both. */
function statusesIn(source: string): number[] {
  const names = [...source.matchAll(/\btest\(\s*['"`]((?:\d{3}(?:, then | and |, )?)+)/g)]
  const written = names.flatMap(([, words = '']) => (words.match(/\d{3}/g) ?? []).map(Number))
  const tabled = [...source.matchAll(/\btest\(\s*`\$\{status\}/g)].flatMap(({ index }) =>
    statusesOfTable(source, index),
  )
  return [...written, ...tabled]
}

/** Of `test(`${status} …`)` in a loop: the statuses that stand in the rows of the table which the loop goes through. */
function statusesOfTable(source: string, testAt: number): number[] {
  const loopAt = source.lastIndexOf('for (const [', testAt)
  const loop = source.slice(loopAt, testAt)
  const name = /\] of (\w+)\) \{/.exec(loop)?.[1]
  const tableAt = name === undefined ? loopAt : source.lastIndexOf(`const ${name}`, loopAt)
  const table = source.slice(tableAt, name === undefined ? testAt : source.indexOf('\n  ]', tableAt))
  return [...table.matchAll(/(?:\[|, )([2-5]\d\d)(?=[,\]])/g)].map(([, status]) => Number(status))
}

const proven = new Map<string, Set<number>>()
for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.ts'))) {
  const owner = ownerOf(file)
  if (owner === undefined) continue
  const statuses = proven.get(owner) ?? new Set()
  for (const status of statusesIn(readFileSync(new URL(file, folder), 'utf8'))) statuses.add(status)
  proven.set(owner, statuses)
}

test('every declared status of every operation is proven by a test', () => {
  const gaps = operations.flatMap((operation) => {
    const own = proven.get(fileNameOf(operation.id)) ?? new Set()
    const open = operation.statuses.filter((status) => !own.has(status) && !isProvenByMatrix(operation, status))
    return open.length > 0 ? [`${operation.id} (${fileNameOf(operation.id)}.test.ts): ${open.join(', ')}`] : []
  })
  assert.deepEqual(gaps, [])
})

test('no test proves a status that its operation does not declare', () => {
  const surplus = operations.flatMap(({ id, statuses }) => {
    const own = [...(proven.get(fileNameOf(id)) ?? [])]
    const undeclared = own.filter((status) => !statuses.includes(status))
    return undeclared.length > 0 ? [`${id}: ${undeclared.join(', ')}`] : []
  })
  assert.deepEqual(surplus, [])
})
