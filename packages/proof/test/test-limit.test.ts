// The tests end whatever they leave open: a file that would stay alive for ever is ended, and it is a failure.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const limit = new URL('../../../scripts/test-limit.js?ms=1000', import.meta.url)
const forgetful = `
  import { createServer } from 'node:net'
  import { test } from 'node:test'
  test('passes, and leaves a server', () => void createServer().listen(0, '127.0.0.1'))
`

test('a file that leaves something open is ended, and fails', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-test-limit-'))
  try {
    const file = join(directory, 'forgetful.test.mjs')
    await writeFile(file, forgetful)
    const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
    const runner = spawn(process.execPath, ['--import', limit.href, '--test', file], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [runner.stdout, runner.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk))
    const [code] = await once(runner, 'close')
    assert.equal(code, 1)
    assert.match(said, /^ℹ fail 1$/m, 'the runner came to its own end')
    assert.match(said, /forgetful\.test\.mjs is still alive after 1 s, held by: .*TCPSERVERWRAP/i)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
