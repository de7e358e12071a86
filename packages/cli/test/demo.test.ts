// `causeway demo` runs to its end, and leaves nothing behind, even when interrupted.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../server/test/caller.ts'
import { familyOf, isAlive, startCli } from './process.ts'

test('demo tells the story to its end, every signature verified, and leaves no process and no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-test-'))
  const demo = startCli(['demo'], { TMPDIR: folder })
  await demo.says('Create an end-user')
  const family = familyOf(demo.pid)
  const { code, stdout, stderr } = await demo.ended
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /USD.*EUR.*MXN.*all signatures verified, no gap in the sequence/s)
  await until('the end of every process', () => family.every((pid) => !isAlive(pid)))
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
})

test('a demo that is interrupted, be it while it starts, ends with 1 and leaves no process and no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-test-'))
  const demo = startCli(['demo'], { TMPDIR: folder })
  await until('its folder', async () => (await readdir(folder)).length > 0)
  await until('a child', () => familyOf(demo.pid).length > 1)
  const family = familyOf(demo.pid)
  demo.signal('SIGINT')
  const { code, stderr } = await demo.ended
  assert.equal(code, 1)
  assert.match(stderr, /Stopped before the demo was complete/)
  await until('the end of every process', () => family.every((pid) => !isAlive(pid)))
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
})
