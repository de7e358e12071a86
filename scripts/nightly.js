#!/usr/bin/env node
// The proofs that take too long for every change, one after the other. A proof that fails does not end the run; the exit
// code and the last line, JSON, tell which did.
import { spawnSync } from 'node:child_process'

// Tests of `npm test` that have a longer form here.
const longTests = ['embedded-postgres/test/embedded', 'server/test/event-order', 'server/test/lock-order']
longTests.push('server/test/relay-after-crash', 'server/test/relay-snapshot')

const proofs = [
  ['test', ...longTests.map((name) => `packages/${name}.test.ts`)],
  ['abuse'],
  ['proof:receivers'],
  ['fuzz', '--requests', '100000'],
  ['fuzz:urls', '--count', '100000'],
  ['chaos', '--kills', '200'],
  ['chaos:relay', '--kills', '50', '--rate', '20'],
  ['crash-points'],
  ['rolling-restart', '--times', '10'],
  ['planted-bugs'],
]

const only = process.argv.slice(2)
const failed = []
for (const [name, ...args] of proofs) {
  if (only.length > 0 && !only.includes(name)) continue
  console.log(`\n== ${[name, ...args].join(' ')}`)
  const { status } = spawnSync('npm', ['run', '--silent', name, '--', ...args], {
    stdio: 'inherit',
    env: { ...process.env, CAUSEWAY_NIGHTLY: 'true' },
  })
  if (status !== 0) failed.push(name)
}
console.log(JSON.stringify({ check: 'nightly', failed }))
process.exitCode = failed.length > 0 ? 1 : 0
