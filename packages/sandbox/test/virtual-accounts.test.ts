// Virtual accounts: bank details for each currency, who may have an account, and how it is changed and deactivated.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import { accountBody, approvedCustomer, deposit, depositAt, type Fields, individual, openAccount } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const hasIbanCheckDigits = (iban: string): boolean => {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return BigInt(digits) % 97n === 1n
}

const hasClabeCheckDigit = (clabe: string): boolean => {
  const sum = [...clabe.slice(0, 17)].reduce(
    (total, digit, i) => total + ((Number(digit) * Number('371'[i % 3])) % 10),
    0,
  )
  return (10 - (sum % 10)) % 10 === Number(clabe[17])
}

describe('virtual accounts', () => {
  let sandbox: Sandbox
  let customer: Resource
  before(async () => {
    sandbox = await startSandbox({ depositStepMs: 1 })
    customer = await approvedCustomer(sandbox)
  })
  after(() => sandbox.stop())

  const open = (body: Fields, id = customer.id) => sandbox.wire('POST', `/customers/${id}/virtual_accounts`, { body })
  const at = (account: Resource) => `/customers/${account.customer_id}/virtual_accounts/${account.id}`

  const details: [currency: string, rails: string[], fields: Record<string, RegExp>][] = [
    [
      'usd',
      ['ach_push', 'fednow', 'wire'],
      {
        bank_account_number: /^\d{12}$/,
        bank_routing_number: /^\d{9}$/,
        bank_beneficiary_name: /^Ada Lovelace$/,
        bank_beneficiary_address: /./,
      },
    ],
    ['eur', ['sepa'], { iban: /^LU\d{18}$/, bic: /^[A-Z]{8}$/, account_holder_name: /./ }],
    ['mxn', ['spei'], { clabe: /^\d{18}$/, account_holder_name: /./ }],
    ['brl', ['pix'], { br_code: /./, account_holder_name: /./ }],
    ['gbp', ['faster_payments'], { account_number: /^\d{8}$/, sort_code: /^\d{6}$/, account_holder_name: /./ }],
    ['cop', ['bre_b'], { bre_b_key: /./, account_holder_name: /./, deposit_message: /./ }],
  ]
  for (const [currency, rails, fields] of details) {
    test(`an account in ${currency} carries the details its rails need`, async () => {
      const { status, body: account } = await open(accountBody(currency, { developer_fee_percent: '0.5' }))
      assert.equal(status, 200)
      assert.equal(account.status, 'activated')
      assert.equal(account.customer_id, customer.id)
      assert.equal(account.developer_fee_percent, '0.5')
      assert.ok(account.id.length <= 42)
      const instructions = account.source_deposit_instructions
      assert.deepEqual([instructions['currency'], instructions.payment_rails], [currency, rails])
      for (const [field, form] of Object.entries({ bank_name: /./, bank_address: /./, ...fields })) {
        assert.match(instructions[field] ?? '', form, field)
      }
      assert.deepEqual((await sandbox.wire('GET', at(account))).body, account)
    })
  }

  test('IBANs and CLABEs have valid check digits, and no two accounts share a number', async () => {
    const numbers = new Set<string>()
    for (let index = 0; index < 12; index += 1) {
      const { body: eur } = await open(accountBody('eur'))
      const { body: mxn } = await open(accountBody('mxn'))
      const [iban = '', clabe = ''] = [
        eur.source_deposit_instructions['iban'],
        mxn.source_deposit_instructions['clabe'],
      ]
      assert.ok(hasIbanCheckDigits(iban), iban)
      assert.ok(hasClabeCheckDigit(clabe), clabe)
      numbers.add(iban).add(clabe)
    }
    assert.equal(numbers.size, 24)
  })

  test('a customer who is not ready is told what is lacking', async () => {
    const create = async (changes: Fields) =>
      (await sandbox.wire('POST', '/customers', { body: individual(changes) })).body
    const decide = (id: string, decision: string) =>
      sandbox.control('POST', `/customers/${id}/kyc`, { body: { decision } })
    const withoutTerms = await create({ signed_agreement_id: undefined })
    await sandbox.wire('POST', `/customers/${withoutTerms.id}/simulate_kyc_approval`)
    const inReview = await create({})
    await decide(inReview.id, 'review')
    const withoutSepa = await create({ endorsements: ['base'] })
    await decide(withoutSepa.id, 'approve')
    const paused = await create({})
    await decide(paused.id, 'pause')
    const cases: [customer: Resource, currency: string, status: number, code: string][] = [
      [withoutTerms, 'usd', 400, 'has_not_accepted_tos'],
      [inReview, 'usd', 400, 'requires_active_kyc_status'],
      [withoutSepa, 'eur', 403, 'missing_required_endorsements'],
      [paused, 'usd', 400, 'frozen'],
    ]
    for (const [unready, currency, status, code] of cases) {
      const refused = await open(accountBody(currency), unready.id)
      assert.deepEqual([refused.status, refused.body.code], [status, code])
    }
    assert.equal((await open(accountBody('usd'), withoutSepa.id)).status, 200)
    assert.equal((await open(accountBody('usd'), 'nobody')).status, 404)
  })

  const address = '0x52908400098527886E0F7030069857D2E4169EE7'
  const target = (fields: Fields) => ({ destination: { currency: 'usdc', payment_rail: 'base', address, ...fields } })
  const refused: [field: string, changes: Fields][] = [
    ['source', { source: undefined }],
    ['source.currency', { source: { currency: 'eu' } }],
    ['source.currency', { source: {} }],
    ['destination', { destination: undefined }],
    ['destination.currency', target({ currency: 'btc' })],
    ['destination.payment_rail', target({ payment_rail: 'bitcoin' })],
    ['destination.payment_rail', target({ currency: 'eurc', payment_rail: 'arbitrum' })],
    ['destination.payment_rail', target({ payment_rail: undefined })],
    ['destination.address', target({ address: undefined })],
    ['destination.address', target({ bridge_wallet_id: 'wallet' })],
    ['destination.blockchain_memo', target({ blockchain_memo: '1' })],
    ['developer_fee_percent', { developer_fee_percent: 0.5 }],
    ['developer_fee_percent', { developer_fee_percent: '100' }],
    ['developer_fee_percent', { developer_fee_percent: '-1' }],
    ['developer_fee_percent', { developer_fee_percent: '1e1' }],
  ]
  for (const [field, changes] of refused) {
    test(`a bad ${field} is named: ${JSON.stringify(changes).slice(0, 100)}`, async () => {
      const { status, body } = await open(accountBody('usd', changes))
      assert.deepEqual([status, body.code, Object.keys(body.source.key)], [400, 'invalid_parameters', [field]])
    })
  }

  for (const [payment_rail, currency] of [
    ['stellar', 'usdc'],
    ['tempo', 'usdc'],
    ['tron', 'usdt'],
  ] as const) {
    test(`a memo is taken on ${payment_rail}`, async () => {
      const body = accountBody('usd', target({ payment_rail, currency, blockchain_memo: '42' }))
      assert.equal((await open(body)).body.destination['blockchain_memo'], '42')
    })
  }

  test('an update changes destination and fee, keeps the rest, and is one activity', async () => {
    const account = await openAccount(sandbox)
    const change = { destination: { payment_rail: 'base', bridge_wallet_id: 'wallet1' }, developer_fee_percent: '1.25' }
    const { body: changed } = await sandbox.wire('PUT', at(account), { body: change })
    assert.deepEqual(changed.destination, { currency: 'usdc', payment_rail: 'base', bridge_wallet_id: 'wallet1' })
    assert.equal(changed.developer_fee_percent, '1.25')
    assert.deepEqual(changed.source_deposit_instructions, account.source_deposit_instructions)
    const { body: history } = await sandbox.wire('GET', `${at(account)}/history`)
    assert.deepEqual(
      history.data.map(({ type }) => type),
      ['account_update'],
    )
    const bad = await sandbox.wire('PUT', at(account), {
      body: { destination: { currency: 'eurc', payment_rail: 'tron' } },
    })
    assert.equal(bad.status, 400)
    assert.deepEqual((await sandbox.wire('GET', at(account))).body, changed)
  })

  test('travel_rule_data is checked at the creation, not shown, and refused at a change', async () => {
    const path = `/customers/${customer.id}/virtual_accounts`
    const beneficiary = {
      is_self: true,
      wallet_type: 'self_custodied',
      wallet_attested_ownership_at: '2026-11-01T12:00:00Z',
    }
    const travel_rule_data = { originator: { is_self: true }, beneficiary, transfer_purpose: 'customer_withdrawal' }
    const created = await sandbox.wire('POST', path, { body: accountBody('usd', { travel_rule_data }) })
    assert.equal(created.status, 200, JSON.stringify(created.body))
    assert.ok(!('travel_rule_data' in created.body))
    const change = await sandbox.wire('PUT', `${path}/${created.body.id}`, { body: { travel_rule_data } })
    assert.deepEqual([change.status, Object.keys(change.body.source.key)], [400, ['travel_rule_data']])
    const wrong = { beneficiary: { is_self: 'yes', wallet_type: 'paper', wallet_attested_ownership_at: 'today' } }
    const refused = await sandbox.wire('POST', path, { body: accountBody('usd', { travel_rule_data: wrong }) })
    assert.deepEqual(
      Object.keys(refused.body.source.key),
      ['is_self', 'wallet_type', 'wallet_attested_ownership_at'].map(
        (field) => `travel_rule_data.beneficiary.${field}`,
      ),
    )
  })

  test('a prefunded account is a target with prefunded and usd alone, at creation alone', async () => {
    const destination = { currency: 'usd', payment_rail: 'prefunded', prefunded_account_id: 'pfa91' }
    const { body: account } = await open(accountBody('usd', { destination }))
    assert.deepEqual(account.destination, destination)
    for (const change of [{ payment_rail: 'base' }, { currency: 'usdc' }]) {
      const wrong = accountBody('usd', { destination: { ...destination, ...change } })
      assert.equal((await open(wrong)).status, 400)
    }
    assert.equal((await sandbox.wire('PUT', at(account), { body: { destination } })).status, 400)
    assert.equal((await open(accountBody('usd', target({ currency: 'usd' })))).status, 400)
  })

  test('fee_config is written by rail, replaced as a whole, and taken from a deposit of its rail', async () => {
    const fee_config = {
      source: { fee_percent: '0.8', minimum_fee: '1.00', wire: { fee_amount: '7.00', fee_percent: '1' } },
    }
    const { body: account } = await open(accountBody('usd', { fee_config }))
    const source = {
      default: { fee_percent: '0.8', minimum_fee: '1.00' },
      wire: { fee_amount: '7.00', fee_percent: '1' },
    }
    assert.deepEqual([account.fee_config, account.developer_fee_percent], [{ source }, '0.0'])
    for (const [payment_rail, fee] of [
      ['wire', '7.93'],
      ['ach_push', '1.0'],
    ]) {
      const id = await deposit(sandbox, account, { amount: '100.00', payment_rail })
      const steps = await depositAt(sandbox, id, 'payment_processed')
      assert.equal(steps.at(-1)?.receipt['developer_fee'], fee)
    }
    const wrong: [body: Fields, field: string][] = [
      [{ fee_config, developer_fee_percent: '1' }, 'fee_config'],
      [{ fee_config: { source: { swift: {} } } }, 'fee_config.source.swift'],
      [{ fee_config: { source: { fee_percent: '100' } } }, 'fee_config.source.fee_percent'],
    ]
    for (const [body, field] of wrong) {
      assert.deepEqual(Object.keys((await open(accountBody('usd', body))).body.source.key), [field])
    }
    const { body: changed } = await sandbox.wire('PUT', at(account), { body: { developer_fee_percent: '1' } })
    assert.deepEqual([changed.developer_fee_percent, 'fee_config' in changed], ['1', false])
  })

  test('deactivating stops deposits and reactivating lets them in; each is announced once', async () => {
    const account = await openAccount(sandbox)
    const switched = async (verb: string) => (await sandbox.wire('POST', `${at(account)}/${verb}`)).body.status
    assert.equal(await switched('deactivate'), 'deactivated')
    assert.equal(await switched('deactivate'), 'deactivated')
    const refused = await sandbox.control('POST', `/virtual_accounts/${account.id}/deposits`, { body: { amount: '5' } })
    assert.equal(refused.status, 409)
    assert.equal(await switched('reactivate'), 'activated')
    await depositAt(sandbox, await deposit(sandbox, account, { amount: '5.00' }), 'payment_processed')
    const { body: history } = await sandbox.wire('GET', `${at(account)}/history?limit=100`)
    assert.deepEqual(
      history.data.map(({ type }) => type),
      ['payment_processed', 'payment_submitted', 'funds_received', 'activation', 'deactivation'],
    )
    const [, , , activation] = history.data
    assert.deepEqual([activation?.amount, activation?.deposit_id], ['0.0', undefined])
  })

  test('accounts are listed by customer and by status, and never under another customer', async () => {
    const account = await openAccount(sandbox)
    await sandbox.wire('POST', `${at(account)}/deactivate`)
    const other = await sandbox.wire('POST', `/customers/${account.customer_id}/virtual_accounts`, {
      body: accountBody('eur'),
    })
    const listed = async (path: string) => (await sandbox.wire('GET', path)).body.data.map(({ id }) => id)
    const collection = `/customers/${account.customer_id}/virtual_accounts`
    assert.deepEqual(await listed(collection), [other.body.id, account.id])
    assert.deepEqual(await listed(`${collection}?status=deactivated`), [account.id])
    assert.ok((await listed('/virtual_accounts?status=deactivated&limit=100')).includes(account.id))
    assert.ok(!(await listed('/virtual_accounts?status=activated&limit=100')).includes(account.id))
    const foreign = await sandbox.wire('GET', `/customers/${customer.id}/virtual_accounts/${account.id}`)
    assert.equal(foreign.status, 404)
    assert.equal((await sandbox.wire('GET', `${collection}?status=closed`)).status, 400)
  })

  test('history is filtered by deposit, deposits, transaction, type and time', async () => {
    const account = await openAccount(sandbox)
    const first = await deposit(sandbox, account, { amount: '10.00' })
    const second = await deposit(sandbox, account, { amount: '20.00' })
    const [, , processed] = await depositAt(sandbox, first, 'payment_processed')
    await depositAt(sandbox, second, 'payment_processed')
    const history = async (query: string) =>
      (await sandbox.wire('GET', `${at(account)}/history?limit=100&${query}`)).body
    const deposits = (page: Awaited<ReturnType<typeof history>>) =>
      new Set(page.data.map(({ deposit_id }) => deposit_id))
    assert.equal((await history('')).count, 6)
    assert.deepEqual(deposits(await history(`deposit_id=${first}`)), new Set([first]))
    assert.deepEqual(
      deposits(await history(`deposit_ids[]=${first}&deposit_ids[]=${second}`)),
      new Set([first, second]),
    )
    assert.deepEqual(deposits(await history(`deposit_ids=${second}`)), new Set([second]))
    assert.equal((await history(`tx_hash=${processed?.destination_tx_hash}`)).count, 2)
    assert.equal((await history('event_type=funds_received')).count, 2)
    assert.equal((await history(`deposit_id=${first}&deposit_ids=${second}`)).code, 'invalid_parameters')
    const { body: later } = await sandbox.wire(
      'GET',
      `/virtual_accounts/history?updated_after_ms=${Date.now() + 60_000}`,
    )
    assert.equal(later.count, 0)
    assert.equal((await sandbox.wire('GET', '/virtual_accounts/history?updated_after_ms=now')).status, 400)
  })

  test('an account that is moved to another bank has other details of the same form, and its history says so', async () => {
    for (const currency of ['usd', 'eur', 'mxn']) {
      const account = await openAccount(sandbox, currency)
      const moved = await sandbox.control('POST', `/virtual_accounts/${account.id}/move`)
      const [before, after] = [account.source_deposit_instructions, moved.body.source_deposit_instructions]
      assert.deepEqual(Object.keys(after).sort(), Object.keys(before).sort())
      assert.notEqual(after['bank_name'], before['bank_name'])
      const number = Object.keys(before).find((name) => ['bank_account_number', 'iban', 'clabe'].includes(name)) ?? ''
      assert.notEqual(after[number], before[number])
      assert.deepEqual((await sandbox.wire('GET', at(account))).body, moved.body)
      const history = await sandbox.wire('GET', `${at(account)}/history?event_type=account_update`)
      assert.equal(history.body.count, 1)
    }
    assert.equal((await sandbox.control('POST', '/virtual_accounts/nobody/move')).status, 404)
  })
})
