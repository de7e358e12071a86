// The verdict on abusive businesses, tried on figures: what it passes, and that it sees each fault. And the attacker's priority.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { lowerPriority } from '../src/abuse/low-priority.ts'
import { type AbuseName, judge, type Pair } from '../src/abuse/verdict.ts'

const quiet = { serverErrors: 0, deadlocks: 0 }
const window = (p99Ms: number) => ({ p50Ms: 1, p99Ms, samples: 100, missing: 0, attacks: 10 })
const pair = (name: AbuseName, calmMs: number, abusedMs: number): Pair => ({
  name,
  calm: window(calmMs),
  abused: window(abusedMs),
})

test('a victim whose p99 stays below twice its own has no fault, and one noisy round of three is none', () => {
  const verdict = judge([pair('f1', 10, 12), pair('f1', 10, 15), pair('f1', 10, 90), pair('f4', 5, 5)], quiet)
  assert.deepEqual(verdict, { victimP99Ratio: { f1: 1.5, f4: 1 }, ...quiet, faults: [] })
})

test('below five milliseconds a difference is the scheduler’s', () => {
  assert.deepEqual(judge([pair('f2', 2, 9)], quiet).victimP99Ratio, { f2: 1.8 })
})

test('each bound that is passed is a fault', () => {
  const faultsOf = (pairs: Pair[], counts = quiet) => judge(pairs, counts).faults.length
  const calm = pair('f2', 10, 11)
  assert.equal(faultsOf([pair('f2', 10, 20)]), 1)
  assert.equal(faultsOf([calm], { serverErrors: 1, deadlocks: 1 }), 2)
  assert.equal(faultsOf([{ ...calm, abused: { ...window(11), missing: 1 } }]), 1)
  assert.equal(faultsOf([{ ...calm, abused: { ...window(11), attacks: 0 } }]), 1)
  assert.equal(faultsOf([{ ...calm, calm: { ...window(10), samples: 0 } }]), 1)
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
