// The programs of examples/, as an integrator runs them.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'

const program = resolve(import.meta.dirname, '../examples/main.ts')

test('an integration goes from the first key to the last deposit', async (context) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@causeway/source', program])
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  assert.match(last, /^The story holds: /)
  context.diagnostic(last)
})
