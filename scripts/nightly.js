#!/usr/bin/env node
// The proofs that take too long for every change, one after the other. A proof that fails does not end the run; the exit
// code and the last line, JSON, tell which did.
import { spawnSync } from 'node:child_process'

const proofs = [
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
  const { status } = spawnSync('npm', ['run', '--silent', name, '--', ...args], { stdio: 'inherit' })
  if (status !== 0) failed.push(name)
}
console.log(JSON.stringify({ check: 'nightly', failed }))
process.exitCode = failed.length > 0 ? 1 : 0
