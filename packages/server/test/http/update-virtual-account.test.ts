// PATCH /v0/virtual-accounts/{id}

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const item = '/[^/]+'
const evm = { payment_rail: 'base', currency: 'usdc', address: '0x52908400098527886E0F7030069857D2E4169EE7' }
const stellar = {
  payment_rail: 'stellar',
  currency: 'usdc',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
}

/** A fresh end-user's account: `patch` changes it, `read` reads it, `upstream` reads it at the provider. */
async function account(destination: object = solanaWallet) {
  const person = await world.business.user('approved')
  const made = await call('POST', '/v0/virtual-accounts', {
    ...accountRequest(person, { developer_fee_percent: '0.5' }),
    destination,
  })
  const path = `/v0/virtual-accounts/${made.body.data.id}`
  return {
    person,
    id: made.body.data.id as string,
    made: made.body.data,
    patch: (change: unknown, headers = {}) => call('PATCH', path, change, { headers }),
    read: async () => (await call('GET', path)).body.data,
    upstream: async () => (await world.provider.accountsOf(person))[0],
  }
}

describe('changing an account', { concurrency: 6 }, () => {
  test('200 a new destination is told to the provider; the bank details stay', async () => {
    const { id, made, patch, read, upstream } = await account()
    const answer = await patch({ destination: evm })
    const { updatedAt, ...rest } = answer.body.data
    assert.deepEqual(rest, {
      ...withoutUpdate(made),
      destinationAddress: evm.address,
      destinationPaymentRail: 'base',
      destinationCurrency: 'usdc',
      destination: evm,
    })
    assert.ok(updatedAt >= made.updatedAt)
    assert.deepEqual(await read(), answer.body.data)
    const theirs = await upstream()
    assert.deepEqual([theirs?.destination, theirs?.developer_fee_percent], [evm, '0.5'])
    const [event] = await world.business.events('virtual_account.updated', id)
    assert.deepEqual(event.payload.data, { ...answer.body.data, changed: ['destination'] })
  })

  test('200 a change that is made already is sent again and told once', async () => {
    const { id, patch, upstream } = await account()
    const change = { destination: evm, developer_fee_percent: '2' }
    const first = await patch(change)
    const repeat = await patch(change)
    assert.deepEqual(withoutUpdate(repeat.body.data), withoutUpdate(first.body.data))
    assert.deepEqual((await upstream())?.destination, evm)
    assert.equal((await world.business.events('virtual_account.updated', id)).length, 1)
  })

  test('200 a new fee leaves the destination alone', async () => {
    const { made, patch, upstream } = await account()
    const answer = await patch({ developer_fee_percent: '2' })
    assert.deepEqual(withoutUpdate(answer.body.data), { ...withoutUpdate(made), developerFeePercent: '2' })
    const theirs = await upstream()
    assert.deepEqual([theirs?.destination, theirs?.developer_fee_percent], [solanaWallet, '2'])
  })

  test('200 a new fee sends no destination along, which could undo a change that came between', async () => {
    const { person, patch, upstream } = await account()
    const at = `/customers/${await world.business.customerOf(person)}/virtual_accounts/${(await upstream())?.id}`
    await fetch(`${world.provider.url}${at}`, {
      method: 'PUT',
      headers: { 'api-key': world.provider.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ destination: evm }),
    })
    assert.equal((await patch({ developer_fee_percent: '2' })).status, 200)
    assert.deepEqual((await upstream())?.destination, evm)
  })

  test('422 a new destination that the provider answers with another one is not taken over, and the old one stays shown', async () => {
    const { person, patch, read, made, upstream } = await account()
    const theirs = { ...(await upstream()), source_deposit_instructions: { currency: 'usd', bank_account_number: '1' } }
    const body = { ...theirs, destination: { ...evm, address: '0xde709f2102306220921060314715629080e2fb77' } }
    await world.provider.fails({ about: person, mode: 'status', status: 200, body, under: '/[^/]+' })
    assertError(await patch({ destination: evm }), 422, 'provider_rejected')
    assert.deepEqual(await read(), made)
    assert.ok(world.log.some((line) => line.includes('differs from the request')))
  })

  test('200 a deactivated account can be changed and stays deactivated', async () => {
    const { id, patch } = await account()
    await call('POST', `/v0/virtual-accounts/${id}/deactivate`)
    const { data } = (await patch({ developer_fee_percent: '3' })).body
    assert.deepEqual([data.status, data.developerFeePercent], ['deactivated', '3'])
  })

  test('400 a memo that stands must be given again with a new address of its rail, for it would stay', async () => {
    const { patch, upstream } = await account({ ...stellar, blockchain_memo: '1' })
    assertError(await patch({ destination: stellar }), 400, 'invalid_destination_address', {
      param: 'destination.blockchain_memo',
    })
    assert.equal((await patch({ destination: { ...stellar, blockchain_memo: '2' } })).status, 200)
    assert.equal((await upstream())?.destination['blockchain_memo'], '2')
  })

  test('200 a new rail takes the memo of the old one away', async () => {
    const { patch, upstream } = await account({ ...stellar, blockchain_memo: '1' })
    assert.equal((await patch({ destination: evm })).status, 200)
    assert.deepEqual((await upstream())?.destination, evm)
  })

  test('400 what cannot be a destination or a fee is refused as at creation, and an empty change too', async () => {
    const { patch, read, made } = await account()
    assertError(await patch({}), 400, 'invalid_length')
    assertError(await patch({ destination: { ...evm, address: '0x1' } }), 400, 'invalid_destination_address')
    const contract = { ...evm, address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }
    assertError(await patch({ destination: contract }), 400, 'invalid_destination_address', {
      message: /is the contract of usdc, not a wallet/,
    })
    assertError(await patch({ destination: { ...evm, currency: 'doge' } }), 400, 'unsupported_currency')
    assertError(await patch({ destination: { ...evm, payment_rail: 'x' } }), 400, 'unsupported_payment_rail')
    assertError(await patch({ destination: { address: evm.address } }), 400, 'missing_field')
    assertError(await patch({ developer_fee_percent: 1 }), 400, 'invalid_developer_fee_percent')
    assertError(await patch({ developer_fee_percent: '100' }), 400, 'invalid_developer_fee_percent')
    assertError(await patch({ source: { currency: 'eur' } }), 400, 'unknown_field', { param: 'source' })
    assert.deepEqual(await read(), made)
  })

  test('409 while one change is under way another one waits, of whatever kind, and none overwrites the other', async () => {
    const { id, person, patch, read, upstream } = await account()
    await world.provider.fails({ about: person, mode: 'delay', delay_ms: 1_200, under: item })
    const first = patch({ destination: evm })
    await until('the first change under way', async () => {
      const open = await world.rows`select 1 from operations where subject_id = ${id} and state = 'running'`
      return open.length > 0
    })
    const [other, deactivation] = await Promise.all([
      patch({ developer_fee_percent: '9' }),
      call('POST', `/v0/virtual-accounts/${id}/deactivate`),
    ])
    assertError(other, 409, 'account_change_in_progress')
    assert.equal(other.headers.get('retry-after'), '2')
    assert.equal(other.body.error.retryable, true)
    assertError(deactivation, 409, 'account_change_in_progress')
    assert.equal((await first).status, 200)
    assert.equal((await read()).destinationAddress, evm.address)
    assert.deepEqual((await upstream())?.destination, evm)
  })

  test('422 an account that is pending is in no state to be changed', async () => {
    const request = accountRequest(await world.business.user(), { onPendingKyc: 'wait' })
    const { id } = (await call('POST', '/v0/virtual-accounts', request)).body.data
    const answer = await call('PATCH', `/v0/virtual-accounts/${id}`, { developer_fee_percent: '1' })
    assertError(answer, 422, 'account_state_conflict', { details: ['status'] })
    assert.equal(answer.body.error.details[0].code, 'pending')
  })

  test('200 metadata is replaced as a whole, in every state, without asking the provider, and told once', async () => {
    const { id, person, patch, read, made } = await account()
    assert.deepEqual(made.metadata, {})
    await world.provider.fails({ about: person, mode: 'status', status: 500, under: item })
    await patch({ metadata: { plan: 'gold', team: 'a' } })
    const answer = await patch({ metadata: { plan: 'silver' } })
    assert.deepEqual(withoutUpdate(answer.body.data), { ...withoutUpdate(made), metadata: { plan: 'silver' } })
    assert.deepEqual((await patch({ metadata: { plan: 'silver' } })).body, answer.body)
    assert.deepEqual(await read(), answer.body.data)
    const told: { payload: { data: { metadata: unknown } } }[] = await world.business.events(
      'virtual_account.updated',
      id,
    )
    assert.deepEqual(
      new Set(told.map(({ payload }) => payload.data.metadata)),
      new Set([{ plan: 'gold', team: 'a' }, { plan: 'silver' }]),
    )
    assert.equal(told.length, 2)
    const waiting = accountRequest(await world.business.user(), { onPendingKyc: 'wait', metadata: { plan: 'bronze' } })
    const { data: pending } = (await call('POST', '/v0/virtual-accounts', waiting)).body
    assert.deepEqual(pending.metadata, { plan: 'bronze' })
    const changed = await call('PATCH', `/v0/virtual-accounts/${pending.id}`, { metadata: {} })
    assert.deepEqual([changed.body.data.status, changed.body.data.metadata], ['pending', {}])
  })

  test('200 metadata beside a fee changes with it, or not at all when the provider refuses', async () => {
    const { id, person, patch, read, made } = await account()
    const change = { developer_fee_percent: '2', metadata: { plan: 'gold' } }
    const body = { code: 'invalid_parameters', message: 'no' }
    await world.provider.fails({ about: person, mode: 'status', status: 400, body, under: item })
    assertError(await patch(change), 422, 'provider_rejected')
    assert.deepEqual(await read(), made)
    const { data } = (await patch(change)).body
    assert.deepEqual([data.developerFeePercent, data.metadata], ['2', { plan: 'gold' }])
    assert.equal((await world.business.events('virtual_account.updated', id)).length, 1)
  })

  test('200 metadata changed while a fee is under way is kept', async () => {
    const { id, person, patch, read } = await account()
    await world.provider.fails({ about: person, mode: 'delay', delay_ms: 800, under: item })
    const fee = patch({ developer_fee_percent: '2' })
    await until('the fee under way', async () => {
      const open = await world.rows`select 1 from operations where subject_id = ${id} and state = 'running'`
      return open.length > 0
    })
    assert.equal((await patch({ metadata: { plan: 'gold' } })).status, 200)
    assert.equal((await fee).status, 200)
    const { developerFeePercent, metadata } = await read()
    assert.deepEqual([developerFeePercent, metadata], ['2', { plan: 'gold' }])
  })

  test('200 of racing changes of metadata one stands whole, and the list finds that one alone', async () => {
    const { id, patch, read } = await account()
    const wanted = Array.from({ length: 8 }, (_, n) => ({ race: `${id}-${n}` }))
    for (const answer of await Promise.all(wanted.map((metadata) => patch({ metadata }))))
      assert.equal(answer.status, 200)
    const { metadata } = await read()
    const found = await Promise.all(
      wanted.map(
        async ({ race }) => (await call('GET', `/v0/virtual-accounts?metadata[race]=${race}`)).body.data.length,
      ),
    )
    assert.deepEqual(
      found,
      wanted.map(({ race }) => (race === metadata.race ? 1 : 0)),
    )
  })

  test('400 metadata that cannot be', async () => {
    const { patch } = await account()
    assertError(await patch({ metadata: { a: 1 } }), 400, 'invalid_type', { param: 'metadata.a' })
    assertError(await patch({ metadata: { a: 'x'.repeat(501) } }), 400, 'invalid_length', { param: 'metadata.a' })
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, '']))
    assertError(await patch({ metadata: many }), 400, 'invalid_length', { param: 'metadata' })
  })

  test('422 a refusal of the provider changes nothing and repeats no value', async () => {
    const { person, patch, read, made } = await account()
    const key = { 'destination.address': `bad ${evm.address}` }
    const body = { code: 'invalid_parameters', message: 'no', source: { location: 'body', key } }
    await world.provider.fails({ about: person, mode: 'status', status: 400, body, under: item })
    const answer = await patch({ destination: evm })
    assertError(answer, 422, 'provider_rejected', { details: ['destination.address'] })
    assert.ok(!answer.text.includes(evm.address))
    assert.deepEqual(await read(), made)
    assert.equal((await patch({ destination: evm })).status, 200)
  })

  /** Loses the response to a change in this way; then waits until the change is made automatically, once. */
  async function losesAnswer(mode: string) {
    const { id, person, patch, read, upstream } = await account()
    await world.provider.fails({ about: person, mode, under: item })
    const answer = await patch({ destination: evm })
    await until('the change', async () => (await read()).destinationAddress === evm.address)
    assert.deepEqual((await upstream())?.destination, evm)
    assert.equal((await world.business.events('virtual_account.updated', id)).length, 1)
    return answer
  }

  test('500 after a response that cannot be read the change is settled, and told about once', async () => {
    assertError(await losesAnswer('unreadable'), 500, 'provider_response_unreadable')
  })

  test('422 a fee that the provider takes as another one is refused, and the old fee stays shown', async () => {
    const { person, patch, read, upstream } = await account()
    const before = (await read()).developerFeePercent
    await world.provider.fails({
      about: person,
      mode: 'status',
      status: 200,
      body: { ...(await upstream()), developer_fee_percent: '9.9' },
      under: item,
    })
    const answer = await patch({ developer_fee_percent: '0.7' })
    assertError(answer, 422, 'provider_rejected')
    assert.match(answer.text, /fee_mismatch/)
    assert.equal((await read()).developerFeePercent, before)
  })

  test('504 after a cut and after silence the change is made by itself, and told about once', async () => {
    for (const mode of ['cut_after', 'hang']) assertError(await losesAnswer(mode), 504, 'provider_timeout')
  })

  test('503 nothing else is changed while the outcome of a change is unknown, but its repeat may settle it', async () => {
    const { id, person, patch } = await account()
    await world.provider.fails({ about: person, mode: 'status', status: 500, times: 2, under: item })
    assertError(await patch({ destination: evm }), 503, 'provider_unavailable')
    assertError(await patch({ developer_fee_percent: '9' }), 409, 'account_change_in_progress')
    assertError(await call('POST', `/v0/virtual-accounts/${id}/deactivate`), 409, 'account_change_in_progress')
    const settled = await until('the repeat', async () => {
      const answer = await patch({ destination: evm })
      return answer.status === 200 && answer
    })
    assert.equal(settled.body.data.destinationAddress, evm.address)
  })
})

function withoutUpdate({ updatedAt: _, ...rest }: Record<string, string>): Record<string, string> {
  return rest
}
