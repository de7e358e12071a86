// The switches for how the real provider may behave: the effect of each, and that all are off by default.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { customerIn, deposit, depositAt, type Fields, individual, openAccount } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('behaviour', () => {
  let sandbox: Sandbox
  beforeEach(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 1, depositStepMs: 1 })
  })
  afterEach(() => sandbox.stop())

  const behave = async (order: Fields) => {
    const { status, body } = await sandbox.control('POST', '/behaviour', { body: order })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const create = async (body: Fields = individual()) => (await sandbox.wire('POST', '/customers', { body })).body

  test('every switch is off at first, is set by its name alone, and is put back by a reset', async () => {
    const off = {
      webhook_events_absent: false,
      client_reference_id_absent: false,
      requirements_bare: false,
      tos_second_origin: false,
      payout_currency_fiat: false,
      receipt_newer: false,
      receipt_newer_fee_after: false,
      receipt_early: false,
      link_customer_early: false,
      link_scheme_absent: false,
      terms_reliance: false,
      company_whole: false,
      person_times_iso: false,
    }
    assert.deepEqual((await sandbox.control('GET', '/behaviour')).body, off)
    assert.deepEqual(await behave({ requirements_bare: true }), { ...off, requirements_bare: true })
    assert.deepEqual(await behave({ payout_currency_fiat: true, requirements_bare: false }), {
      ...off,
      payout_currency_fiat: true,
    })
    await sandbox.control('POST', '/reset')
    assert.deepEqual((await sandbox.control('GET', '/behaviour')).body, off)
  })

  test('an unknown switch and a value that is no boolean are refused, and nothing is set', async () => {
    for (const order of [{ kindness: true, requirements_bare: true }, { requirements_bare: 'yes' }]) {
      const refused = await sandbox.control('POST', '/behaviour', { body: order })
      assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_parameters'])
    }
    assert.equal(Reflect.get((await sandbox.control('GET', '/behaviour')).body, 'requirements_bare'), false)
  })

  test('terms_reliance: a statement of the developer counts as acceptance; without the switch it counts for nothing', async () => {
    const stated = (email: string) =>
      individual({ email, has_accepted_terms_of_service: true, signed_agreement_id: 'attestation 17' })
    const link = (email: string) =>
      sandbox.wire('POST', '/kyc_links', { body: { email, type: 'individual', developer_accepted_tos: true } })
    const refused = await sandbox.wire('POST', '/customers', { body: stated('a@example.com') })
    assert.deepEqual([refused.status, Object.keys(refused.body.source.key)], [400, ['signed_agreement_id']])
    assert.equal((await link('a@example.com')).body.tos_status, 'pending')
    await behave({ terms_reliance: true })
    assert.equal((await create(stated('b@example.com'))).has_accepted_terms_of_service, true)
    assert.equal((await link('c@example.com')).body.tos_status, 'approved')
  })

  test('webhook_events_absent: the list of all events answers 404 as an unknown path does', async () => {
    await behave({ webhook_events_absent: true })
    const unknown = await sandbox.wire('GET', '/nowhere')
    const absent = await sandbox.wire('GET', '/webhook_events')
    assert.deepEqual([absent.status, absent.body.code], [unknown.status, unknown.body.code])
    assert.equal((await sandbox.wire('GET', '/virtual_accounts/history')).status, 200)
  })

  test('client_reference_id_absent: neither an answer nor an event repeats it', async () => {
    await behave({ client_reference_id_absent: true })
    const customer = await create(individual({ client_reference_id: 'ours-1' }))
    const { body: read } = await sandbox.wire('GET', `/customers/${customer.id}`)
    const { body: list } = await sandbox.wire('GET', '/customers')
    const { body: events } = await sandbox.control('GET', '/events')
    const shown = [customer, read, ...list.data, ...events.data.map(({ event_object }) => event_object)]
    assert.ok(shown.length >= 4)
    for (const face of shown) assert.ok(!('client_reference_id' in face), JSON.stringify(face))
    await behave({ client_reference_id_absent: false })
    assert.equal((await sandbox.wire('GET', `/customers/${customer.id}`)).body.client_reference_id, 'ours-1')
  })

  test('requirements_bare: missing is one bare name, and items of issues are lists', async () => {
    await behave({ requirements_bare: true })
    const lacking = await create(individual({ birth_date: undefined }))
    assert.equal(lacking.endorsements[0]?.requirements.missing, 'date_of_birth')
    const rejected = await create()
    await sandbox.control('POST', `/customers/${rejected.id}/kyc`, { body: { decision: 'reject' } })
    const { body } = await sandbox.wire('GET', `/customers/${rejected.id}`)
    assert.deepEqual(body.endorsements[0]?.requirements.issues, [['government_id_verification_failed']])
    assert.equal(body.endorsements[0]?.requirements.missing, null)
  })

  test('tos_second_origin: terms links alone have another origin, and their page works there', async () => {
    await behave({ tos_second_origin: true })
    const { body: link } = await sandbox.wire('POST', '/customers/tos_links')
    const url = new URL(link.url)
    assert.notEqual(url.origin, sandbox.url)
    assert.equal((await fetch(url)).status, 200)
    const accepted = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: '{}',
    })
    assert.equal(accepted.status, 200)
    const { body: verification } = await sandbox.wire('POST', '/kyc_links', {
      body: { email: 'ada@example.com', type: 'individual' },
    })
    assert.equal(new URL(verification.tos_link).origin, url.origin)
    assert.equal(new URL(verification.kyc_link).origin, sandbox.url)
  })

  test('tos_second_origin is refused where there is no second origin', async () => {
    await using elsewhere = await startSandbox({ host: '127.0.0.2' })
    const refused = await elsewhere.control('POST', '/behaviour', { body: { tos_second_origin: true } })
    assert.deepEqual([refused.status, refused.body.code], [409, 'no_second_origin'])
  })

  test('receipt_early: a submitted payment has a receipt that knows no more than what came in', async () => {
    await behave({ receipt_early: true })
    const account = await openAccount(sandbox)
    const steps = await depositAt(sandbox, await deposit(sandbox, account, { amount: '900.00' }), 'payment_processed')
    const [, submitted, processed] = steps
    assert.deepEqual(Object.keys(submitted?.receipt ?? {}), ['initial_amount', 'url'])
    assert.equal(submitted?.receipt.initial_amount, '900.0')
    assert.equal(processed?.receipt.final_amount, '900.0')
  })

  test('receipt_newer: the subtotal is what is left of the converted amount, and the final amount is without its gas', async () => {
    const account = await openAccount(sandbox, 'mxn', { developer_fee_percent: '1' })
    const receiptWith = async (name: string) => {
      await behave({ [name]: true })
      const id = await deposit(sandbox, account, { amount: '900.00' })
      const { receipt } = (await depositAt(sandbox, id, 'payment_processed')).at(-1) ?? {}
      await behave({ [name]: false })
      const { url: _url, destination_tx_hash: _hash, ...amounts } = receipt ?? {}
      return amounts
    }
    const newer = {
      initial_amount: '900.0',
      developer_fee: '9.0',
      exchange_fee: '4.5',
      pre_conversion_subtotal_amount: '886.5',
      converted_amount: '48.31425',
      mid_market_rate: '0.0545',
      subtotal_amount: '48.31425',
      gas_fee: '0.0',
      final_amount: '48.31425',
    }
    assert.deepEqual(await receiptWith('receipt_newer'), newer)
    assert.deepEqual(await receiptWith('receipt_newer_fee_after'), {
      ...newer,
      exchange_fee: '0.24',
      pre_conversion_subtotal_amount: '891.0',
      converted_amount: '48.5595',
      subtotal_amount: '48.3195',
      final_amount: '48.3195',
    })
  })

  test('link_customer_early: a new KYC link names a customer, and finishing it approves that one', async () => {
    await behave({ link_customer_early: true })
    const order = { email: 'ada@example.com', type: 'individual', full_name: 'Ada Lovelace' }
    const { status, body: link } = await sandbox.wire('POST', '/kyc_links', { body: order })
    assert.deepEqual([status, link.kyc_status, typeof link.customer_id], [200, 'not_started', 'string'])
    const { body: customer } = await sandbox.wire('GET', `/customers/${link.customer_id}`)
    assert.deepEqual([customer.status, customer.email, customer.last_name], ['not_started', order.email, 'Lovelace'])
    await sandbox.control('POST', '/terms/accept', { body: { link: link.tos_link } })
    const finished = await fetch(link.kyc_link, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: sandbox.url },
      body: JSON.stringify({ outcome: 'approve' }),
    })
    assert.equal(finished.status, 200)
    await customerIn(sandbox, customer.id, 'active')
    assert.equal((await sandbox.control('GET', '/state')).body.customers.count, 1)
  })

  test('link_scheme_absent: the addresses of a KYC link begin with the host', async () => {
    await behave({ link_scheme_absent: true })
    const order = { email: 'ada@example.com', type: 'individual' }
    const { body: link } = await sandbox.wire('POST', '/kyc_links', { body: order })
    const host = sandbox.url.replace('http://', '')
    for (const address of [link.kyc_link, link.tos_link]) {
      assert.ok(address.startsWith(host), address)
      assert.equal((await fetch(`http://${address}`)).status, 200)
    }
  })

  test('payout_currency_fiat: payments name the fiat, and their amounts stay those of the destination', async () => {
    const account = await openAccount(sandbox, 'mxn')
    const usual = await depositAt(sandbox, await deposit(sandbox, account, { amount: '900.00' }), 'payment_processed')
    await behave({ payout_currency_fiat: true })
    const fiat = await depositAt(sandbox, await deposit(sandbox, account, { amount: '900.00' }), 'payment_processed')
    assert.deepEqual(
      usual.map(({ currency }) => currency),
      ['mxn', 'usdc', 'usdc'],
    )
    assert.deepEqual(
      fiat.map(({ currency }) => currency),
      ['mxn', 'mxn', 'mxn'],
    )
    assert.deepEqual(
      fiat.map(({ amount }) => amount),
      usual.map(({ amount }) => amount),
    )
  })
})
