// The state directory: what survives a stop or a crash, tasks that became due in the meantime, and data that is never stored.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  accountBody,
  customerIn,
  deposit,
  depositAt,
  individual,
  openAccount,
  pngUri,
  stepsOf,
  tokenOf,
} from './people.ts'
import { runToExit, startProcess, stateDirectory, until } from './sandbox.ts'
import { isSigned, startReceiver, subscribe } from './webhook-receiver.ts'

/** Reads every byte of every file in the directory as text. */
const readState = async (directory: string): Promise<string> => {
  const names = await readdir(directory)
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name), 'latin1')))
  return contents.join('\n')
}

describe('the state directory', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`objects, lists, answers, links and sequence numbers survive ${signal}`, async () => {
      await using directory = await stateDirectory()
      // No decision becomes due while the test runs.
      const flags = ['--state', directory.path, '--kyc-decision-ms', '3600000']
      await using first = await startProcess(...flags)
      const account = await openAccount(first)
      const { body: tos } = await first.wire('POST', '/customers/tos_links')
      const { body: link } = await first.wire('POST', '/kyc_links', {
        body: { email: 'a@example.com', type: 'individual' },
      })
      const [key, body] = [randomUUID(), individual()]
      const created = await first.wire('POST', '/customers', { key, body })
      const { body: before } = await first.control('GET', '/state')
      await first.stop(signal)

      await using second = await startProcess(...flags)
      const { body: after } = await second.control('GET', '/state')
      assert.deepEqual(after, before)
      const path = `/customers/${account.customer_id}/virtual_accounts`
      assert.deepEqual((await second.wire('GET', path)).body.data, [account])
      assert.deepEqual(await second.wire('POST', '/customers', { key, body }), created)
      const found = (await second.wire('GET', `/kyc_links/${link.id}`)).body
      assert.equal(tokenOf(found.tos_link), tokenOf(link.tos_link), 'the token is the same at a new origin')
      assert.equal((await second.control('POST', '/terms/accept', { body: { link: tos.url } })).status, 200)
      await second.wire('POST', '/customers', { body: { type: 'individual' } })
      const { body: events } = await second.control('GET', '/events')
      assert.deepEqual(
        events.data.map((event) => event.event_sequence),
        events.data.map((_, index) => index + 1),
      )
    })
  }

  test('a decision, a deposit and a delivery that were due while nobody ran are made up for', async () => {
    await using directory = await stateDirectory()
    const flags = ['--state', directory.path, '--webhook-retry-ms', '1500']
    const slow = ['--kyc-decision-ms', '1500', '--deposit-step-ms', '1500']
    await using first = await startProcess(...flags, ...slow)
    await using receiver = await startReceiver()
    receiver.answer = () => 503
    const webhook = await subscribe(first, receiver)
    const { body: customer } = await first.wire('POST', '/customers', { body: individual() })
    const depositId = await deposit(first, await openAccount(first), { amount: '5.00' })
    await until('the first delivery has failed', async () => {
      const { body } = await first.control('GET', '/webhooks/deliveries')
      return body.count > 0
    })
    assert.equal((await stepsOf(first, depositId)).length, 1)
    await first.stop('SIGKILL')
    const failedCount = receiver.received.length

    receiver.answer = () => 200
    await using second = await startProcess(...flags)
    await customerIn(second, customer.id, 'active')
    await depositAt(second, depositId, 'payment_processed')
    const { body: events } = await second.control('GET', '/events')
    await until('all events have arrived', () => receiver.received.at(-1)?.event.event_sequence === events.count)
    const delivered = receiver.received.slice(failedCount)
    assert.deepEqual(
      delivered.map(({ event }) => event.event_sequence),
      events.data.map((event) => event.event_sequence),
    )
    for (const { headers, raw } of delivered) {
      assert.ok(isSigned(webhook.public_key, String(headers['x-webhook-signature']), raw))
    }
  })

  test('a torn last transaction is dropped, a damaged file is reported', async () => {
    await using directory = await stateDirectory()
    const database = join(directory.path, 'state.sqlite')
    const log = `${database}-wal`
    {
      await using first = await startProcess('--state', directory.path)
      await first.wire('POST', '/customers', { body: { type: 'individual' } })
      await first.wire('POST', '/customers', { body: { type: 'individual' } })
      await first.stop('SIGKILL')
    }
    await truncate(log, (await stat(log)).size - 10)
    {
      await using second = await startProcess('--state', directory.path)
      assert.equal((await second.control('GET', '/state')).body.customers.count, 1)
      await second.stop()
    }
    await writeFile(database, 'no database'.repeat(1_000))
    const { code, stderr } = await runToExit('--port', '0', '--state', directory.path)
    assert.equal(code, 1)
    assert.match(stderr, /^sandbox: .*state\.sqlite is damaged.*\n$/)
  })

  test('a reset leaves nothing in the files of what it removed', async () => {
    await using directory = await stateDirectory()
    await using sandbox = await startProcess('--state', directory.path)
    const { body: customer } = await sandbox.wire('POST', '/customers', { body: individual() })
    await sandbox.control('POST', '/reset')
    await sandbox.stop()
    const written = await readState(directory.path)
    assert.ok(written.includes('linkSecret') && !written.includes(customer.id))
  })

  test('a second sandbox on the same state is refused in one line', async () => {
    await using directory = await stateDirectory()
    await using _first = await startProcess('--state', directory.path)
    const { code, stderr } = await runToExit('--port', '0', '--state', directory.path)
    assert.equal(code, 1)
    assert.match(stderr, /^sandbox: the state in .* is in use by another process\n$/)
  })

  test('no identity data and no session token is written down', async () => {
    await using directory = await stateDirectory()
    await using sandbox = await startProcess('--state', directory.path)
    const image = pngUri(256, 257)
    const body = individual({
      birth_date: '1987-06-05',
      residential_address: {
        street_line_1: '12 Secret Lane',
        city: 'Hideaway',
        subdivision: 'NV',
        postal_code: '89049-2611',
        country: 'USA',
      },
      identifying_information: [
        { type: 'ssn', issuing_country: 'USA', number: '123-45-6789' },
        { type: 'passport', issuing_country: 'USA', number: 'C01X00T47', image_front: image },
      ],
      phone: '+12025550123',
    })
    const { body: customer } = await sandbox.wire('POST', '/customers', { body })
    await sandbox.control('POST', `/customers/${customer.id}/kyc`, { body: { decision: 'approve' } })
    await sandbox.wire('POST', `/customers/${customer.id}/virtual_accounts`, { body: accountBody('usd') })
    await sandbox.wire('PUT', `/customers/${customer.id}`, { body: { birth_date: '1987-06-06' } })
    const { body: tos } = await sandbox.wire('POST', '/customers/tos_links')
    const { body: link } = await sandbox.wire('POST', '/kyc_links', {
      body: { email: 'a@example.com', type: 'individual' },
    })
    const { body: kyc } = await sandbox.wire('GET', `/customers/${customer.id}/kyc_link`)
    await sandbox.stop('SIGKILL')
    const written = await readState(directory.path)
    assert.ok(written.includes(customer.id), 'the files are those of this sandbox')
    const secrets = [
      '123-45-6789',
      'C01X00T47',
      image.slice(40, 80),
      '1987-06',
      'Secret Lane',
      'Hideaway',
      '89049-2611',
    ]
    const tokens = [tos.url, link.kyc_link, link.tos_link, kyc.url].map(tokenOf)
    for (const secret of [...secrets, '2025550123', ...tokens]) {
      assert.ok(secret.length > 4 && !written.includes(secret), secret)
    }
  })
})
