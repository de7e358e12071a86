// `npm run example:oidc`, as a reader runs it: a real provider next to a local environment.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const program = resolve(import.meta.dirname, '../../../examples/oidc/main.ts')
const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('causeway-example-'))

test('the example signs staff in and out, and leaves nothing behind', async () => {
  const before = await left()
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 })
  assert.equal(stdout.trimEnd().split('\n').at(-1), 'The sign-in holds.')
  assert.equal(stderr, '')
  const lines = stdout.split('\n').filter((line) => line.startsWith('  '))
  assert.ok(lines.length >= 9 && lines.every((line) => line.startsWith('  ✓ ')), stdout)
  assert.ok((await left()).every((name) => before.includes(name)))
})
