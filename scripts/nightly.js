#!/usr/bin/env node
// The proofs that take too long for every change, one after the other. A proof that fails does not end the run; the exit
// code and the last line, JSON, tell which did.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

// Tests of `npm test` that have a longer form here: the ones that read `isNightly`.
const longTests = globSync('packages/*/{src,test,e2e}/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('isNightly'),
)

const proofs = [
  ['test', ...longTests],
  ['abuse'],
  ['proof:receivers'],
  ['bench', '--quick'],
  ['fuzz', '--requests', '20000'],
  ['chaos', '--kills', '200'],
  ['chaos:relay', '--kills', '50', '--rate', '20'],
  ['crash-points'],
  ['crash-points', '--freeze'],
  // One after the other: of ten million rows the objects take 71 GB of disk, the history 24.
  ['list-plans', '--part', 'history'],
  ['list-plans', '--part', 'objects'],
  ['console-scale'],
  ['rolling-restart', '--times', '50'],
  ['soak'],
  ['check:clients'],
  ['proof:deploy'],
  ['proof:image'],
  ['proof:upgrade', '--times', '2'],
  ['proof:failover', '--times', '5', '--hangs', '1', '--standby', '1'],
  ['proof:failover', '--times', '2', '--by', 'haproxy'],
  ['proof:restore', '--seconds', '20'],
  ['proof:pgbouncer'],
  ['proof:replica-loss', '--kills', '12'],
  ['proof:disk-full', '--times', '4'],
  ['proof:clock', '--stay', '600', '--whose', 'replica'],
  ['proof:clock', '--stay', '600', '--whose', 'database'],
  ['proof:redis'],
  // Prints what survived, for a person to judge; fails only if the run is worth nothing.
  ['mutation', '--minutes', '60'],
  ['planted-bugs'],
  ['planted-bugs', '--proofs'],
]

const only = process.argv.slice(2)
const failed = []
for (const [name, ...args] of proofs) {
  if (only.length > 0 && !only.includes(name)) continue
  console.log(`\n== ${[name, ...args].join(' ')}`)
  const { status } = spawnSync('npm', ['run', '--silent', name, '--', ...args], {
    stdio: 'inherit',
    env: name === 'test' ? { ...process.env, CAUSEWAY_NIGHTLY: 'true' } : process.env,
  })
  if (status !== 0) failed.push(name)
}
console.log(JSON.stringify({ check: 'nightly', failed }))
process.exitCode = failed.length > 0 ? 1 : 0
