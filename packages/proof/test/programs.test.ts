// Messages of a proof about missing programs, and the cleanup after a signal.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { MissingProgram, requireProgram, runProgram } from '../src/rig/programs.ts'

test('a program that lacks is named with its package; one that fails tells what it said', async () => {
  assert.throws(
    () => requireProgram('no-such-program', 'some-package'),
    (error) => {
      assert.ok(error instanceof MissingProgram)
      assert.equal(error.message, 'no-such-program is missing: apt-get install some-package')
      return true
    },
  )
  const file = process.execPath
  const complaint = { file, args: ['-e', 'console.error("it broke"); process.exit(3)'], asOurselves: true }
  await assert.rejects(runProgram(complaint), /it broke/)
})

test('a proof that a signal ends removes its files, though what it waited for breaks first', async () => {
  const programs = new URL('../src/rig/programs.ts', import.meta.url).href
  const proof = `
    import { mkdtempSync, rmSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    import { setTimeout as delay } from 'node:timers/promises'
    import { endOnSignals, runProof } from '${programs}'
    await runProof('proof', async () => {
      await using stack = new AsyncDisposableStack()
      endOnSignals(stack)
      const home = mkdtempSync(join(tmpdir(), 'causeway-proof-'))
      stack.defer(() => rmSync(home, { recursive: true }))
      const broken = Promise.withResolvers()
      stack.defer(async () => {
        broken.reject(new Error('the database went away'))
        await delay(100)
      })
      setTimeout(() => {}, 60_000)
      console.log(home)
      await broken.promise
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', proof], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const [said] = await once(child.stdout, 'data')
  const path = String(said).trim()
  assert.equal(existsSync(path), true)
  child.kill('SIGTERM')
  const [code] = await exited
  assert.equal(code, 143)
  assert.equal(existsSync(path), false)
})
