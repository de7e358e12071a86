// A process gives the memory of a load back to the system. The garbage collector decides when, so the test is a process.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const module = new URL('../src/process/idle-memory.ts', import.meta.url)

/** Holds 100 MiB, drops them, and waits until at least half of the resident memory is back, a minute at most. */
const program = `
  import { returnIdleMemory } from ${JSON.stringify(module)}
  returnIdleMemory()
  let held = []
  for (let part = 0; part < 300; part++) held.push(Array.from({ length: 10_000 }, (_, at) => ({ at })))
  held = []
  const most = process.memoryUsage.rss()
  const endMs = performance.now() + 60_000
  setInterval(() => {
    const now = process.memoryUsage.rss()
    if (now >= most / 2 && performance.now() < endMs) return
    console.log(JSON.stringify({ most, now }))
    process.exit()
  }, 100)`

test('a process that has nothing to do after a load returns the memory of the load', async () => {
  // Half a second instead of eight before the first look.
  const args = ['--gc-memory-reducer-start-delay-ms=500', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { most, now } = JSON.parse(stdout)
  assert.ok(now < most / 2, `${now} of ${most} bytes are resident`)
})
