// POST /v0/virtual-accounts: responses and errors. Accounts that wait for KYC are in
// create-virtual-account-waiting.test.ts, provider failures in create-virtual-account-upstream.test.ts.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError } from '../caller.ts'
import { freshUserId, solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'
const user = await world.business.user('approved')

const evmWallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const stellarWallet = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

test('200 the nine fields of the specification, all of them strings, eight more, and no other', async () => {
  const { body } = await call(
    'POST',
    path,
    accountRequest(user, { developer_fee_percent: '0.5', metadata: { invoice: '2026-11' } }),
  )
  assert.deepEqual(Object.keys(body), ['data'])
  const { id, bankAccountNumber, createdAt, updatedAt, ...fixed } = body.data
  assert.match(id, /^va_[0-9a-z]{26}$/)
  assert.match(bankAccountNumber, /^\d{6,17}$/)
  for (const time of [createdAt, updatedAt]) assert.equal(new Date(time).toISOString(), time)
  const { destination, metadata, ...texts } = body.data
  for (const [name, value] of Object.entries(texts)) assert.equal(typeof value, 'string', name)
  assert.deepEqual(destination, solanaWallet, 'the shape in which it was sent')
  assert.deepEqual(metadata, { invoice: '2026-11' })
  assert.deepEqual(fixed, {
    bankName: 'Lead Bank',
    bankRoutingNumber: fixed.bankRoutingNumber,
    beneficiaryName: 'Ada Lovelace',
    beneficiaryAddress: fixed.beneficiaryAddress,
    destinationAddress: solanaWallet.address,
    destinationPaymentRail: 'solana',
    destinationCurrency: 'usdc',
    destination: solanaWallet,
    externalUserId: user,
    status: 'active',
    sourceCurrency: 'usd',
    developerFeePercent: '0.5',
    metadata: { invoice: '2026-11' },
  })
  assert.match(fixed.bankRoutingNumber, /^\d{9}$/)
  assert.ok(fixed.beneficiaryAddress.length > 0)
  assert.deepEqual((await call('GET', `${path}/${id}`)).body, body)
})

test('200 in EUR the IBAN stands in bankAccountNumber and the BIC in bankRoutingNumber', async () => {
  const { data } = (await call('POST', path, accountRequest(user, { source: { currency: 'eur' } }))).body
  assert.match(data.bankAccountNumber, /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/)
  assert.match(data.bankRoutingNumber, /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/)
  for (const name of ['bankName', 'beneficiaryName', 'beneficiaryAddress']) assert.equal(typeof data[name], 'string')
})

test('200 in MXN the CLABE stands in bankAccountNumber and the routing number is empty', async () => {
  const { data } = (await call('POST', path, accountRequest(user, { source: { currency: 'mxn' } }))).body
  assert.match(data.bankAccountNumber, /^\d{18}$/)
  assert.equal(data.bankRoutingNumber, '')
})

test('200 the developer fee is "0" when none is given, and kept as it was written when one is', async () => {
  for (const [given, shown] of [
    [undefined, '0'],
    ['0', '0'],
    ['0.5', '0.5'],
    ['10.20', '10.20'],
    ['99.9999', '99.9999'],
  ]) {
    const request = accountRequest(user, given === undefined ? {} : { developer_fee_percent: given })
    const { data } = (await call('POST', path, request)).body
    assert.equal(data.developerFeePercent, shown)
  }
  const fees = (await world.provider.accountsOf(user)).map((account) => account.developer_fee_percent)
  assert.ok(fees.includes('99.9999'))
})

test('200 what was asked for is what the provider was told, memo included', async () => {
  const other = await world.business.user('approved')
  const destination = { payment_rail: 'stellar', currency: 'usdc', address: stellarWallet, blockchain_memo: '4711' }
  await call('POST', path, accountRequest(other, { destination, developer_fee_percent: '1.25' }))
  const [account] = await world.provider.accountsOf(other)
  assert.deepEqual(account?.destination, destination)
  assert.equal(account?.developer_fee_percent, '1.25')
})

test('200 every account is told about by one event virtual_account.created, which shows the account', async () => {
  const { data } = (await call('POST', path, accountRequest(user))).body
  const events = await world.business.events('virtual_account.created', data.id)
  assert.equal(events.length, 1)
  assert.deepEqual(events[0].payload.data, data)
  assert.equal(events[0].externalUserId, user)
})

test('200 requests at once make as many accounts, each with bank details of its own', async () => {
  const other = await world.business.user('approved')
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', path, accountRequest(other))))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 8)
  assert.equal(new Set(answers.map(({ body }) => body.data.bankAccountNumber)).size, 8)
  assert.equal((await world.provider.accountsOf(other)).length, 8)
  assert.equal((await world.business.accounts(other)).length, 8)
})

test('400 a wallet address that is none of its rail is refused by name and never repeated', async () => {
  const wrong: [rail: string, currency: string, address: string][] = [
    ['solana', 'usdc', evmWallet],
    ['solana', 'usdc', `${solanaWallet.address.slice(0, -1)}0`],
    ['ethereum', 'usdc', solanaWallet.address],
    ['ethereum', 'usdc', evmWallet.replace('5aA', '5aa')],
    ['ethereum', 'usdc', evmWallet.slice(0, -1)],
    ['polygon', 'usdc', `0x${'0'.repeat(40)}`],
    ['tron', 'usdt', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['stellar', 'usdc', stellarWallet.replace('GA7', 'GA8')],
    ['xdc', 'usdc', 'xdc123'],
    ['solana', 'usdc', ' '],
    ['solana', 'usdc', ''],
  ]
  for (const [payment_rail, currency, address] of wrong) {
    const request = accountRequest(user, { destination: { payment_rail, currency, address } })
    const answer = await call('POST', path, request)
    assertError(answer, 400, 'invalid_destination_address', {
      param: 'destination.address',
      details: ['destination.address'],
      message: /^destination\.address /,
    })
    if (address.length > 3) assert.ok(!answer.text.includes(address), address)
  }
})

test('400 an address that nobody holds a key of is refused, and named', async () => {
  const lost: [rail: string, currency: string, address: string, rule: RegExp][] = [
    ['solana', 'usdc', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', /is the mint of usdc, not a wallet/],
    ['solana', 'usdc', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', /is a program, not a wallet/],
    ['ethereum', 'usdc', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', /is the contract of usdc, not a wallet/],
    ['ethereum', 'usdc', '0x000000000000000000000000000000000000dEaD', /is a burn address, not a wallet/],
    ['tron', 'usdt', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', /is the contract of usdt, not a wallet/],
  ]
  for (const [payment_rail, currency, address, message] of lost) {
    const request = accountRequest(user, { destination: { payment_rail, currency, address } })
    const answer = await call('POST', path, request)
    assertError(answer, 400, 'invalid_destination_address', { param: 'destination.address', message })
    assert.ok(!answer.text.includes(address), address)
  }
})

test('200 a multisig vault, which is an address off the curve, is a wallet', async () => {
  const address = 'FCvhetuRQXVjFaFtLY8kAYFYRHpCLMsBabJ8GLrBX8iT'
  const { data } = (await call('POST', path, accountRequest(user, { destination: { ...solanaWallet, address } }))).body
  assert.deepEqual([data.status, data.destinationAddress], ['active', address])
})

test('200 a memo goes to the provider on each chain that has memos', async () => {
  const other = await world.business.user('approved')
  const wallets = [
    { payment_rail: 'stellar', currency: 'usdc', address: stellarWallet, blockchain_memo: 'm'.repeat(28) },
    { payment_rail: 'tron', currency: 'usdt', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', blockchain_memo: 'é 1' },
    { payment_rail: 'tempo', currency: 'usdc', address: evmWallet, blockchain_memo: 'order 1234' },
  ]
  for (const destination of wallets) {
    const { data } = (await call('POST', path, accountRequest(other, { destination }))).body
    assert.deepEqual(data.destination, destination)
  }
  const upstream = (await world.provider.accountsOf(other)).map(({ destination }) => destination['blockchain_memo'])
  assert.deepEqual(upstream.sort(), wallets.map((wallet) => wallet.blockchain_memo).sort())
})

test('400 a memo is refused where the rail knows none, and when it is empty', async () => {
  const solana = { ...solanaWallet, blockchain_memo: '1' }
  const stellar = { payment_rail: 'stellar', currency: 'usdc', address: stellarWallet }
  for (const destination of [solana, ...['', ' '].map((memo) => ({ ...stellar, blockchain_memo: memo }))]) {
    const answer = await call('POST', path, accountRequest(user, { destination }))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.param, 'destination.blockchain_memo')
  }
})

test('400 a currency, a token or a rail that is not supported names what is', async () => {
  const to = (change: object) => ({ destination: { ...solanaWallet, ...change } })
  const wrong = [
    [{ source: { currency: 'USD' } }, 'unsupported_currency', 'source.currency', /usd, eur, mxn/],
    [{ source: { currency: 'jpy' } }, 'unsupported_currency', 'source.currency', /usd, eur, mxn/],
    [to({ currency: 'doge' }), 'unsupported_currency', 'destination.currency', /usdc/],
    [to({ currency: 'USDC' }), 'unsupported_currency', 'destination.currency', /usdc/],
    [to({ payment_rail: 'bitcoin' }), 'unsupported_payment_rail', 'destination.payment_rail', /solana/],
    [to({ payment_rail: 'constructor' }), 'unsupported_payment_rail', 'destination.payment_rail', /solana/],
    [to({ payment_rail: 'tron' }), 'unsupported_payment_rail', 'destination.payment_rail', /solana/],
  ] as const
  for (const [change, code, param, message] of wrong) {
    const answer = await call('POST', path, accountRequest(user, change))
    assertError(answer, 400, code, { param, message, details: [param], resolution: /GET \/v0\/capabilities/ })
  }
})

test('400 a fee that is no decimal string from 0 to below 100 is refused with a hint', async () => {
  const wrong: [fee: unknown, hint: RegExp][] = [
    [0.5, /not a number/],
    [0, /not a number/],
    ['+1', /sign/],
    ['-1', /sign/],
    ['1e2', /exponent/],
    ['0.5%', /percent sign/],
    ['100', /two digits/],
    ['100.0', /two digits/],
    ['0.12345', /4 decimals/],
    ['0,5', /decimal mark|point/],
    ['05', /./],
    ['.5', /./],
    ['5.', /./],
    ['', /./],
    [' 1', /./],
    ['0x1', /./],
    ['NaN', /./],
    [true, /./],
    [null, /./],
    [['1'], /./],
  ]
  for (const [fee, hint] of wrong) {
    const answer = await call('POST', path, accountRequest(user, { developer_fee_percent: fee }))
    assertError(answer, 400, 'invalid_developer_fee_percent', { param: 'developer_fee_percent', message: hint })
  }
})

test('400 missing, unknown and wrong-typed fields are all named at once', async () => {
  const answer = await call('POST', path, {
    source: { currency: 1, rail: 'ach' },
    destination: { paymentRail: 'solana', currency: 'usdc', address: solanaWallet.address },
    onPendingKyc: 'later',
  })
  assert.equal(answer.status, 400)
  const told = new Map<string, { code: string; message: string }>(
    answer.body.error.details.map((detail: { param: string }) => [detail.param, detail]),
  )
  assert.equal(told.get('externalUserId')?.code, 'missing_field')
  assert.equal(told.get('source.currency')?.code, 'invalid_type')
  assert.equal(told.get('source.rail')?.code, 'unknown_field')
  assert.equal(told.get('destination.payment_rail')?.code, 'missing_field')
  assert.match(told.get('destination.paymentRail')?.message ?? '', /Did you mean `destination\.payment_rail`/)
  assert.equal(told.get('onPendingKyc')?.code, 'invalid_value')
})

test('404 an end-user who does not exist is holder_not_found and the remedy names POST /v0/end-users', async () => {
  assertError(await call('POST', path, accountRequest(freshUserId())), 404, 'holder_not_found', {
    param: 'externalUserId',
    resolution: /POST \/v0\/end-users/,
  })
})

test('422 an end-user whose KYC is not approved is told the status, the next action, and where to look', async () => {
  const unsubmitted = await world.business.user()
  const answer = await call('POST', path, accountRequest(unsubmitted))
  assertError(answer, 422, 'kyc_not_approved', {
    resolution: new RegExp(`GET /v0/end-users/${unsubmitted}/kyc-links`),
    details: ['kycStatus', 'nextAction'],
  })
  const { details, type, retryable } = answer.body.error
  assert.equal(type, 'business_rule_error')
  assert.equal(retryable, false)
  assert.equal(details[0].code, 'not_started')
  const shown = (await call('GET', `/v0/end-users/${unsubmitted}`)).body.data
  assert.equal(details[1].code, shown.nextAction.kind)
  assert.deepEqual(await world.business.accounts(unsubmitted), [])
})

test('422 a rejected, a paused and a reviewed end-user are told their own status', async () => {
  const states = [
    ['+reject', 'rejected'],
    ['+review', 'under_review'],
    ['+paused', 'paused'],
  ] as const
  await Promise.all(
    states.map(async ([mail, kycStatus]) => {
      const person = await world.business.user('submitted', { mail })
      await world.business.reached(person, kycStatus)
      const answer = await call('POST', path, accountRequest(person))
      assertError(answer, 422, 'kyc_not_approved')
      assert.equal(answer.body.error.details[0].code, kycStatus)
    }),
  )
})

test('422 a currency whose endorsement was not asked for is rail_not_enabled while another one opens', async () => {
  const person = await world.business.user('submitted', { endorsements: ['base'] })
  await world.business.reached(person, 'approved')
  const answer = await call('POST', path, accountRequest(person, { source: { currency: 'mxn' } }))
  assertError(answer, 422, 'rail_not_enabled', {
    resolution: new RegExp(`GET /v0/end-users/${person}/kyc-links`),
    details: ['kycStatus', 'nextAction'],
  })
  assert.equal((await call('POST', path, accountRequest(person))).status, 200)
})
