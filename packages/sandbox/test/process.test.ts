// The process: one ready line, refused flags, and a clean end.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { runToExit, startProcess } from './sandbox.ts'
import { startReceiver, subscribe } from './webhook-receiver.ts'

const endMsMax = 1_000

describe('the process', () => {
  test('prints one line that says where it listens and with which key', async () => {
    const key = 'sk-test-aaaaaaaabbbbbbbb'
    await using sandbox = await startProcess('--api-key', key, '--url', 'https://sandbox.example')
    assert.equal(sandbox.apiKey, key)
    assert.equal(sandbox.url, 'https://sandbox.example')
  })

  test('links point to the public origin', async () => {
    await using sandbox = await startProcess('--provider', 'bridge')
    const { body } = await sandbox.wire('POST', '/customers/tos_links')
    assert.equal(new URL(body.url).origin, sandbox.url)
  })

  const mistakes: [flags: string[], message: RegExp][] = [
    [['--colour', 'blue'], /Unknown option '--colour'/],
    [['--provider', 'acme'], /--provider takes bridge, not "acme"/],
    [['serve'], /Unexpected argument 'serve'/],
    [['--port', 'http'], /--port takes whole numbers from 0 to 65535/],
    [['--port', '65536'], /--port takes whole numbers/],
    [['--kyc-decision-ms', '-1'], /kyc-decision-ms/],
    [['--webhook-retry-ms', '1,two'], /--webhook-retry-ms takes whole numbers/],
    [['--url', 'example.com'], /--url takes an origin/],
    [['--url', 'https://example.com/path'], /--url takes an origin/],
    [['--embed-origins', 'https://a.example,nonsense'], /--embed-origins takes an origin/],
    [['--api-key', 'sk-live-0000000000'], /--api-key must start with sk-test-/],
  ]
  for (const [flags, message] of mistakes) {
    test(`${flags.join(' ')} is refused with status 64`, async () => {
      const { code, stdout, stderr } = await runToExit(...flags)
      assert.deepEqual([code, stdout], [64, ''])
      assert.match(stderr, message)
    })
  }

  test('a port that is taken is one line on stderr and status 1', async () => {
    await using sandbox = await startProcess()
    const { port } = new URL(sandbox.url)
    const { code, stdout, stderr } = await runToExit('--port', port)
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `sandbox: port ${port} is in use: choose another with --port\n`)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} ends it within a second, whatever is pending`, async () => {
      await using sandbox = await startProcess('--webhook-retry-ms', '60000')
      await using receiver = await startReceiver()
      receiver.answer = () => null
      await subscribe(sandbox, receiver)
      await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
      const startedAt = performance.now()
      assert.deepEqual(await sandbox.stop(signal), { code: 0, signal: null })
      assert.ok(performance.now() - startedAt < endMsMax)
    })
  }

  test('--exit-with-parent ends it when stdin closes', async () => {
    await using sandbox = await startProcess('--exit-with-parent')
    const exited = once(sandbox.child, 'exit', { signal: AbortSignal.timeout(5_000) })
    sandbox.child.stdin?.end()
    assert.deepEqual(await exited, [0, null])
  })

  test('without --exit-with-parent a closed stdin changes nothing', async () => {
    await using sandbox = await startProcess()
    sandbox.child.stdin?.end()
    assert.equal((await sandbox.control('GET', '/state')).status, 200)
    assert.deepEqual(await sandbox.stop(), { code: 0, signal: null })
  })
})

describe('keys', () => {
  test('a missing and a wrong key get the two documented bodies, on unknown paths as well', async () => {
    await using sandbox = await startProcess()
    const keyOf = { location: 'header', name: 'Api-Key' }
    for (const path of ['/customers', '/nothing/here']) {
      const missing = await fetch(`${sandbox.url}/v0${path}`)
      const expected = { code: 'required', ...keyOf, message: 'Missing Api-Key header' }
      assert.deepEqual([missing.status, await missing.json()], [401, expected])
      const wrong = await sandbox.wire('GET', path, { headers: { 'api-key': `${sandbox.apiKey}0` } })
      assert.deepEqual([wrong.status, wrong.body.code, wrong.body.name], [401, 'invalid', 'Api-Key'])
    }
    assert.equal((await sandbox.wire('GET', '/nothing/here')).status, 404)
  })
})
