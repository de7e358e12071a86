// The last line of defence of the log: whatever slips into a line, no credential of ours leaves with it.

import assert from 'node:assert/strict'
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
