// Interim responses in pieces of every size: 100 is read as 102, every other byte is unchanged, and almost nothing is
// held back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InterimAnswers } from './interim-answers.ts'

const final = 'HTTP/1.1 200 OK\r\ncontent-length: 21\r\n\r\nHTTP/1.1 100 Continue'
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
/** The longest beginning of a status line, or of the end of a head, that the next byte may complete. */
const heldMax = 'HTTP/1.1 10'.length

test('a 100 before the answer is read as 102, whatever the pieces', () => {
  const sent = `HTTP/1.1 100 Continue\r\n\r\n${hints}HTTP/1.0 100 Continue\r\na: b\r\n\r\n${final}`
  const expected = sent.replaceAll(/100(?= Continue\r)/g, '102')
  for (let size = 1; size <= sent.length; size++) {
    const answers = new InterimAnswers()
    let passed = ''
    for (let at = 0; at < sent.length; at += size) {
      passed += answers.pass(Buffer.from(sent.slice(at, at + size)), 1).toString()
      assert.ok(Math.min(at + size, sent.length) - passed.length <= heldMax, `pieces of ${size}, at ${at}`)
    }
    assert.equal(passed, expected, `pieces of ${size}`)
  }
})

test('each request begins another answer, and nothing of a final answer is changed', () => {
  const answers = new InterimAnswers()
  for (let request = 1; request <= 3; request++) {
    assert.equal(
      answers.pass(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${final}`), request).toString('latin1', 0, 12),
      'HTTP/1.1 102',
    )
    assert.equal(answers.pass(Buffer.from('HTTP/1.1 100 '), request).toString(), 'HTTP/1.1 100 ')
  }
})
