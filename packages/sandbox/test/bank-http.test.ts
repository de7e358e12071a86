// The bank over HTTP: the contents of its pages, the effect of its forms, and forms of other sites.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import { accountBody, approvedCustomer, deposit, depositAt, openAccount, stepsOf } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('the bank', () => {
  let sandbox: Sandbox
  let account: Resource
  before(async () => {
    // No decision becomes due while a test compares states.
    sandbox = await startSandbox({ depositStepMs: 1, kycDecisionMs: 60 * 60 * 1000 })
    account = await openAccount(sandbox, 'usd', { developer_fee_percent: '1.0' })
  })
  after(() => sandbox.stop())

  const get = async (path: string) => {
    const response = await fetch(sandbox.url + path)
    return { status: response.status, markup: await response.text(), headers: response.headers }
  }
  const post = async (path: string, values: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(values)
    const response = await fetch(sandbox.url + path, { method: 'POST', body, headers, redirect: 'manual' })
    return { status: response.status, markup: await response.text(), location: response.headers.get('location') ?? '' }
  }
  const idIn = (location: string): string => /^\/bank\/deposits\/([0-9a-f-]{36})$/.exec(location)?.[1] ?? ''
  const send = async (values: Record<string, string>): Promise<string> => {
    const { status, location } = await post('/bank/deposits', { account: account.id, step_ms: '0', ...values })
    assert.equal(status, 303)
    return idIn(location)
  }

  test('says how to make an account while there is none', async () => {
    await using fresh = await startSandbox()
    const response = await fetch(`${fresh.url}/bank`)
    assert.equal(response.status, 200)
    const markup = await response.text()
    assert.match(markup, /no account to send to yet/)
    assert.ok(markup.includes('/v0/customers/:id/virtual_accounts'))
    assert.doesNotMatch(markup, /<form/)
  })

  test('shows whose account it is, its bank details and where it pays out, and embeds nowhere', async () => {
    const { status, markup, headers } = await get(`/bank?account=${account.id}`)
    assert.equal(status, 200)
    const { bank_account_number, bank_routing_number } = account.source_deposit_instructions
    const shown = ['Ada Lovelace', bank_account_number, bank_routing_number, account.destination['address'], account.id]
    for (const part of shown) assert.ok(part && markup.includes(part), part)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'$/)
    assert.doesNotMatch(markup, /https?:\/\//, 'nothing foreign is linked or loaded')
  })

  test('a form makes the deposit it describes and leads to its page', async () => {
    const id = await send({ amount: '2000', payment_rail: 'wire', sender_name: 'Grace Hopper', reference: 'rent 7' })
    const [received] = await depositAt(sandbox, id, 'payment_processed')
    assert.equal(received?.source['payment_rail'], 'wire')
    assert.equal(received?.source['originator_name'], 'Grace Hopper')
    assert.equal(received?.source['wire_message'], 'rent 7')
    const { markup } = await get(`/bank/deposits/${id}`)
    const processed = (await stepsOf(sandbox, id)).at(-1)
    const shown = [
      '2,000.00 USD',
      'Grace Hopper',
      'rent 7',
      '20.00 USD',
      '1,980.00 USD',
      '1,980.00 USDC',
      'Wire',
      'Paid out',
    ]
    for (const part of [...shown, processed?.destination_tx_hash ?? '']) assert.ok(part && markup.includes(part), part)
    assert.match(markup, /data-final/)
    assert.match((await get('/bank')).markup, new RegExp(`href="/bank/deposits/${id}"`))
  })

  test('without an outcome the cents of the amount choose, with one it counts', async () => {
    await depositAt(sandbox, await send({ amount: '100.45' }), 'refund')
    await depositAt(sandbox, await send({ amount: '100.45', outcome: 'completed' }), 'payment_processed')
    await depositAt(sandbox, await send({ amount: '100.45', outcome: '' }), 'refund')
  })

  test('a deposit in review offers its ways out, takes one, and refuses a second', async () => {
    for (const [to, end, shown] of [
      ['completed', 'payment_processed', 'Paid out'],
      ['refunded', 'refund', 'Refunded'],
      ['refund_failed', 'refund_failed', 'Refund failed'],
    ] as const) {
      const id = await send({ amount: '100.42' })
      await depositAt(sandbox, id, 'in_review')
      const { markup } = await get(`/bank/deposits/${id}`)
      assert.match(markup, new RegExp(`name="to" value="${to}"`))
      assert.doesNotMatch(markup, /data-final/)
      const moved = await post(`/bank/deposits/${id}/advance`, { to })
      assert.deepEqual([moved.status, moved.location], [303, `/bank/deposits/${id}`])
      await depositAt(sandbox, id, end)
      assert.ok((await get(`/bank/deposits/${id}`)).markup.includes(shown))
      const late = await post(`/bank/deposits/${id}/advance`, { to })
      assert.equal(late.status, 409)
      assert.match(late.markup, /role="alert">The deposit is not in review/)
    }
  })

  test('a refund that names no deposit is on the page of its deposit all the same', async () => {
    const id = await send({ amount: '55.00', outcome: 'refunded_unlinked' })
    for (let tries = 0; !(await get(`/bank/deposits/${id}`)).markup.includes('data-final'); tries += 1) {
      assert.ok(tries < 500)
    }
    const { markup } = await get(`/bank/deposits/${id}`)
    for (const part of ['Refunded', 'unable_to_process', 'leave out deposit_id']) assert.ok(markup.includes(part), part)
  })

  test('a wrong amount is said at its field, what was typed is kept, and nothing is sent', async () => {
    const { body: before } = await sandbox.control('GET', '/state')
    for (const amount of ['0', '-1', '1.234', 'ten', '']) {
      const refused = await post('/bank/deposits', { account: account.id, amount, sender_name: '<b>Grace</b>' })
      assert.equal(refused.status, 400, amount)
      assert.match(refused.markup, /aria-describedby="amount-problem amount-hint" aria-invalid="true"/)
      assert.match(refused.markup, /Enter an amount above zero/)
      assert.match(refused.markup, /value="&lt;b&gt;Grace&lt;\/b&gt;"/)
    }
    for (const wrong of [
      { outcome: 'lost' },
      { payment_rail: 'sepa' },
      { step_ms: 'soon' },
      { reference: 'x'.repeat(141) },
    ]) {
      const refused = await post('/bank/deposits', { account: account.id, amount: '5', ...wrong })
      assert.equal(refused.status, 400, JSON.stringify(wrong))
      assert.match(refused.markup, /class="complaint"|role="alert"/)
    }
    assert.equal((await sandbox.control('GET', '/state')).body.deposits.count, before.deposits.count)
  })

  test('an account that takes no deposits says so, offers no form and takes none', async () => {
    const closed = await openAccount(sandbox)
    const path = `/customers/${closed.customer_id}/virtual_accounts/${closed.id}`
    await sandbox.wire('POST', `${path}/deactivate`)
    const { markup } = await get(`/bank?account=${closed.id}`)
    assert.match(markup, /Deposits to this account are refused/)
    assert.doesNotMatch(markup, /action="\/bank\/deposits"/)
    assert.equal((await post('/bank/deposits', { account: closed.id, amount: '5' })).status, 409)
    await sandbox.wire('POST', `${path}/reactivate`)
    await sandbox.control('POST', `/customers/${closed.customer_id}/kyc`, { body: { decision: 'restrict_deposits' } })
    assert.match((await get(`/bank?account=${closed.id}`)).markup, /Deposits to this customer are refused/)
    assert.equal((await post('/bank/deposits', { account: closed.id, amount: '5' })).status, 409)
  })

  test('many accounts are found by name, e-mail and id', async () => {
    const customer = await approvedCustomer(sandbox, { first_name: 'Zo & <i>', last_name: 'Searched' })
    const opened: string[] = []
    for (let index = 0; index < 9; index += 1) {
      const created = await sandbox.wire('POST', `/customers/${customer.id}/virtual_accounts`, {
        body: accountBody('usd'),
      })
      opened.push(created.body.id)
    }
    const { markup } = await get('/bank')
    assert.match(markup, /Showing 8 of \d+\./)
    assert.match(markup, /Zo &amp; &lt;i&gt; Searched/)
    for (const search of ['searched', customer.email.toUpperCase(), opened[0] ?? '']) {
      const found = (await get(`/bank?q=${encodeURIComponent(search)}`)).markup
      assert.match(found, search === opened[0] ? /Showing 1 of 1\./ : /Showing 8 of 9\./, search)
    }
    assert.match((await get('/bank?q=nobody-at-all')).markup, /No account matches/)
  })

  test('what does not exist is a friendly 404', async () => {
    for (const path of ['/bank?account=none', '/bank/deposits/none']) {
      const { status, markup } = await get(path)
      assert.equal(status, 404)
      assert.match(markup, /There is no such (account|deposit)/)
    }
    assert.equal((await post('/bank/deposits', { account: 'none', amount: '5' })).status, 404)
    assert.equal((await post('/bank/deposits/none/advance', { to: 'completed' })).status, 404)
  })

  test('a form from another site changes nothing, whichever header tells it', async () => {
    const id = await deposit(sandbox, account, { amount: '5.00', outcome: 'in_review' })
    await depositAt(sandbox, id, 'in_review')
    const { body: before } = await sandbox.control('GET', '/state')
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: sandbox.url },
    ]
    for (const headers of foreign) {
      for (const [path, values] of [
        ['/bank/deposits', { account: account.id, amount: '5' }],
        [`/bank/deposits/${id}/advance`, { to: 'completed' }],
        ['/clock', { advance_ms: '1000' }],
      ] as const) {
        assert.equal((await post(path, values, headers)).status, 403, JSON.stringify(headers))
      }
    }
    assert.deepEqual((await sandbox.control('GET', '/state')).body, before)
    assert.equal((await sandbox.control('GET', '/clock')).body.offset_ms, 0)
    assert.equal(
      (await post('/bank/deposits', { account: account.id, amount: '5' }, { origin: sandbox.url })).status,
      303,
    )
  })

  test('other bodies than forms are refused', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${sandbox.url}/bank/deposits`, { method: 'POST', headers, body: '{}' })
    assert.equal(response.status, 415)
    assert.equal((await post('/bank/deposits', { account: 'x'.repeat(9_000) })).status, 413)
  })

  test('the front page shows the clock and moves it', async () => {
    await using fresh = await startSandbox({ kycDecisionMs: 60 * 60 * 1000 })
    assert.match(await (await fetch(fresh.url)).text(), /Real time/)
    const move = (advance_ms: string) =>
      fetch(`${fresh.url}/clock`, { method: 'POST', body: new URLSearchParams({ advance_ms }), redirect: 'manual' })
    assert.equal((await move('90000000')).status, 303)
    assert.match(await (await fetch(fresh.url)).text(), /1 d 1 h ahead/)
    for (const wrong of ['', '0', '-5', 'soon', '1e99']) assert.equal((await move(wrong)).status, 400, wrong)
  })
})
