// The verdict on windows during abuse, tested with figures: it passes good figures, and finds each fault. Also the priority of
// the process that replaces another machine.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { lowerPriority } from '../src/rig/measured/low-priority.ts'
import { judgePairs, type Pair, type Window } from '../src/rig/measured/measured.ts'

const window = (p99Ms: number): Window => ({ p99Ms, samples: 100, missing: 0, attacks: 10 })
const pair = (calmMs: number, abusedMs: number): Pair => ({ calm: window(calmMs), abused: window(abusedMs) })

test('a victim whose p99 stays below the bound has no fault, and one noisy window of three is none', () => {
  const { figures, faults } = judgePairs('f1', [pair(10, 12), pair(10, 15), pair(10, 90)], 2)
  assert.deepEqual(figures, { calmP99Ms: 10, abusedP99Ms: 15, ratio: 1.5 })
  assert.deepEqual(faults, [])
})

test('below five milliseconds a difference is the scheduler’s', () => {
  assert.deepEqual(judgePairs('f2', [pair(2, 9)], 2).figures.ratio, 1.8)
  assert.deepEqual(judgePairs('f2', [pair(5, 9)], 1.1).faults, [])
})

test('each bound that is passed is a fault, and so is a window that proves nothing', () => {
  const faultsOf = (pairs: readonly Pair[], ratioMax = 2): string => judgePairs('f2', pairs, ratioMax).faults.join('; ')
  assert.match(faultsOf([pair(10, 20)]), /^f2: the victim's p99 is 2 times that of a calm window, 20 ms$/)
  assert.match(faultsOf([pair(100, 111)], 1.1), /1.11 times/)
  const calm = pair(10, 11)
  assert.match(faultsOf([{ ...calm, abused: { ...window(11), missing: 1 } }]), /^f2: 1 of the victim's/)
  assert.match(faultsOf([{ ...calm, abused: { ...window(11), attacks: 0 } }]), /^f2: nothing was attacked/)
  assert.match(faultsOf([{ ...calm, calm: { ...window(10), samples: 0 } }]), /^f2: a window has no samples$/)
  assert.match(faultsOf([]), /^f2: a window has no samples$/)
})

test('what stands for another machine yields to every session, also to those of PostgreSQL', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { detached: true })
  const exited = once(child, 'exit')
  const pid = child.pid ?? 0
  const sessionOf = (process: number | 'self'): string => {
    try {
      return readFileSync(`/proc/${process}/autogroup`, 'utf8')
    } catch {
      return '' // another system
    }
  }
  try {
    const own = sessionOf('self')
    lowerPriority(pid)
    assert.equal(getPriority(pid), 10)
    if (own !== '') assert.match(sessionOf(pid), / nice 10\n$/)
    assert.equal(sessionOf('self'), own)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
})
