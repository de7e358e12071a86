// How a person may spell a receiver: as `stripe listen --forward-to` takes it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../src/command.ts'
import { receiverUrl } from '../src/webhooks/receiver-url.ts'

test('a receiver is a port, a port with a path, a host, or a full URL', () => {
  const rows: readonly [given: string, url: string][] = [
    ['3000', 'http://localhost:3000/'],
    [':3000', 'http://localhost:3000/'],
    ['3000/hooks', 'http://localhost:3000/hooks'],
    ['3000?a=b', 'http://localhost:3000/?a=b'],
    ['localhost:3000/hooks', 'http://localhost:3000/hooks'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['[::1]:3000/hooks', 'http://[::1]:3000/hooks'],
    ['receiver.example.com/hooks', 'http://receiver.example.com/hooks'],
    ['https://receiver.example.com/hooks', 'https://receiver.example.com/hooks'],
  ]
  for (const [given, url] of rows) assert.equal(receiverUrl('--to', given), url, given)
})

test('anything else is refused, and the option is named', () => {
  for (const given of ['', '70000', '70000/hooks', 'ftp://example.com', 'http://', '/hooks'])
    assert.throws(() => receiverUrl('--forward-to', given), UsageError, given)
  assert.throws(() => receiverUrl('--forward-to', '70000'), /--forward-to takes a port or a URL/)
})
