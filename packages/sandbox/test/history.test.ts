// The history of all virtual accounts together, the second way to learn of deposits: its order, its pages and its filters.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Body } from './answers.ts'
import { deposit, depositAt, openAccount } from './people.ts'
import { type SandboxProcess, startProcess } from './sandbox-process.ts'

describe('the history across all customers', () => {
  let sandbox: SandboxProcess
  const depositIds: string[] = []
  before(async () => {
    sandbox = await startProcess('--kyc-decision-ms', '1', '--deposit-step-ms', '0')
    for (const currency of ['usd', 'eur', 'mxn']) {
      const account = await openAccount(sandbox, currency)
      const id = await deposit(sandbox, account, { amount: '900.00' })
      await depositAt(sandbox, id, 'payment_processed')
      depositIds.push(id)
      await sandbox.control('POST', '/clock', { body: { advance_ms: 60_000 } })
    }
  })
  after(() => sandbox.stop())

  const history = async (query = '') => (await sandbox.wire('GET', `/virtual_accounts/history?${query}`)).body
  const typesOf = ({ data }: Body) => data.map(({ type }) => type)
  const idsOf = ({ data }: Body) => data.map(({ id }) => id)

  test('holds the activities of every customer, newest first', async () => {
    const all = await history('limit=100')
    assert.equal(all.count, 9)
    assert.equal(new Set(all.data.map(({ customer_id }) => customer_id)).size, 3)
    const times = all.data.map(({ created_at }) => created_at)
    assert.deepEqual(times, times.toSorted().reverse())
    assert.equal(typesOf(all)[0], 'payment_processed')
  })

  test('is walked page by page to its end and back', async () => {
    const all = idsOf(await history('limit=100'))
    const walked: string[] = []
    for (let page = await history('limit=2'); page.count > 0; ) {
      walked.push(...idsOf(page))
      page = await history(`limit=2&starting_after=${walked.at(-1)}`)
    }
    assert.deepEqual(walked, all)
    assert.deepEqual(idsOf(await history(`limit=2&ending_before=${all[4]}`)), all.slice(2, 4))
    assert.equal((await history('starting_after=nowhere')).code, 'invalid_parameters')
    assert.equal((await history(`starting_after=${all[0]}&ending_before=${all[1]}`)).code, 'invalid_parameters')
  })

  test('is filtered by deposit, deposits, transaction, type and time', async () => {
    const [first, second] = depositIds
    const types = ['payment_processed', 'payment_submitted', 'funds_received']
    assert.deepEqual(typesOf(await history(`deposit_id=${first}`)), types)
    assert.equal((await history(`deposit_ids[]=${first}&deposit_ids[]=${second}`)).count, 6)
    assert.equal((await history(`deposit_id=${first}&deposit_ids[]=${second}`)).code, 'invalid_parameters')
    assert.deepEqual(typesOf(await history('event_type=funds_received')), [
      'funds_received',
      'funds_received',
      'funds_received',
    ])
    const [processed] = (await history(`deposit_id=${second}`)).data
    assert.deepEqual(typesOf(await history(`tx_hash=${processed?.destination_tx_hash}`)), types.slice(0, 2))
    const at = Date.parse(processed?.created_at ?? '')
    const later = await history(`limit=100&updated_after_ms=${at + 30_000}`)
    assert.deepEqual(new Set(later.data.map(({ deposit_id }) => deposit_id)), new Set([depositIds[2]]))
    const earlier = await history(`limit=100&updated_before_ms=${at - 30_000}`)
    assert.deepEqual(new Set(earlier.data.map(({ deposit_id }) => deposit_id)), new Set([first]))
  })

  test('the history of one account knows no filter by time, as the document has none there', async () => {
    const [newest] = (await history('limit=1')).data
    const path = `/customers/${newest?.customer_id}/virtual_accounts/${newest?.virtual_account_id}/history`
    const { body } = await sandbox.wire('GET', `${path}?updated_before_ms=0`)
    assert.equal(body.count, 3)
  })
})
