// The last defense of the log: no credential of Causeway leaves in a log line.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { createLog } from './log.ts'

const random = 'a1B2'.repeat(8)

test('a credential is masked wherever it stands in a line: in a text, in a name, in an error, in an address', () => {
  for (const credential of [`svc_test_${random}`, `svc_live_${random}`, `whsec_${random}==`, `sk-test-${random}`]) {
    const lines: string[] = []
    const log = createLog('info', (line) => lines.push(line))
    log.info({ header: `Bearer ${credential}`, [credential]: 1, deep: { list: [credential] } }, `given ${credential}`)
    log.error({ err: new Error(`refused ${credential}`) }, 'failed')
    log.child({ address: `https://host.example/?key=${credential}` }).warn('seen')
    assert.equal(lines.length, 3)
    for (const line of lines) {
      assert.ok(!line.includes(random.slice(4, 12)), line)
      assert.ok(line.includes(`${credential.slice(0, 6)}`), 'what kind it was may be read')
      assert.doesNotThrow(() => JSON.parse(line))
    }
  }
})

test('on standard error the lines of a turn are masked, each by itself, and none is lost at the end', () => {
  const text = `
    const { createLog } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))})
    const log = createLog('info')
    for (let at = 0; at < 3; at++) log.info({ at, key: 'svc_test_${random}' }, 'Bearer')
    await new Promise((resolve) => setImmediate(resolve))
    log.info({ at: 3, key: 'whsec_${random}' }, 'last')
    log.info({ at: 4, key: 'none' })
    process.exit(0)`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' })
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ at, key }) => [at, key]),
    [...[0, 1, 2].map((at) => [at, 'svc_test_…']), [3, 'whsec_…'], [4, 'none']],
  )
})

test('a reader of standard error that stalls keeps nobody waiting: what does not fit is lost and counted', async () => {
  const text = `
    const { createLog, lostLogLines } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))})
    const log = createLog('info')
    let lines = 0
    while (lines < 100_000 && lostLogLines() === 0) {
      for (let at = 0; at < 100; at++) log.info({ at }, 'x'.repeat(1_000))
      lines += 100
      await new Promise((resolve) => setImmediate(resolve))
    }
    console.log(JSON.stringify({ lines, lost: lostLogLines(), unreadBytes: process.stderr.writableLength }))
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [said] = await once(child.stdout, 'data') // standard error is never read
  const { lines, lost, unreadBytes } = JSON.parse(String(said))
  assert.ok(lost === 100 && lines < 10_000, `${lost} of ${lines} lines are lost`)
  assert.ok(unreadBytes > 1_000_000 && unreadBytes < 1_500_000, `${unreadBytes} bytes are kept`)
  child.kill('SIGKILL')
})
