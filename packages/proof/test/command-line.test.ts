// The command line of a proof: usage on demand, and mistakes are reported with the usage. All proofs share `readOptions`.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../src/fuzz/main.ts', import.meta.url))
const run = (...args: string[]) => spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8', timeout: 60_000 })

test('--help prints the usage with every option and its default, and ends with 0', () => {
  const { status, stdout, stderr } = run('--help')
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^npm run fuzz -- \[options\]$/m)
  assert.match(stdout, /^ {2}--requests N .*\(2000\)$/m)
  for (const name of ['--seed S', '--help']) assert.ok(stdout.includes(name), name)
})

for (const [args, problem] of [
  [['--requests', '0'], '"0" is not a whole number from 1'],
  [['--seed', '1', '--seed', '2'], '"1,2" is not a whole number from 0'],
  [['--unknown'], "Unknown option '--unknown'"],
] as const) {
  test(`${args.join(' ')} ends with 64, the problem and the usage, without a stack trace`, () => {
    const { status, stdout, stderr } = run(...args)
    assert.equal(status, 64)
    assert.equal(stdout, '')
    assert.ok(stderr.startsWith(`fuzz: ${problem}`), stderr)
    assert.match(stderr, /^npm run fuzz -- \[options\]$/m)
    assert.doesNotMatch(stderr, /^ +at /m)
  })
}
