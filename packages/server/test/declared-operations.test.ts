// Every operation of openapi.json is declared in the folder of its subject, and is described as it is declared.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOperations } from '../src/app/operations.ts'
import { operations } from './caller.ts'

const nameOf = ({ address }: { address: string }) => address.replace(/:(\w+)/g, '{$1}')

test('each declared operation is described under its id, method and path', () => {
  const described = new Map(operations.map(({ id, method, path }) => [id, `${method} ${path}`]))
  for (const operation of allOperations.filter(({ hidden }) => !hidden))
    assert.equal(described.get(operation.id), nameOf(operation), operation.id)
})

test('each described operation is declared', () => {
  const declared = new Set(allOperations.map(({ id }) => id))
  assert.deepEqual(
    operations.map(({ id }) => id).filter((id) => !declared.has(id)),
    [],
  )
})
