// POST /v0/virtual-accounts when the provider is away, slow, wrong or refuses: one request makes at most one account there.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { freshUserId, solanaWallet } from '../people.ts'
import type { Fault } from '../provider.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'

/** Breaks the next creation of a fresh end-user, asks for an account, and hands back both. */
async function askWhile(fault: Fault) {
  const person = await world.business.user('approved')
  await world.provider.fails({ about: person, ...fault })
  return { person, answer: await call('POST', path, accountRequest(person)) }
}

/** Makes one request for an account, with its repeats. */
function askUnderKey(person: string) {
  const headers = { 'idempotency-key': `account-of-${person}` }
  return () => call('POST', path, accountRequest(person), { headers })
}

/** The account that the loop completes: the only one, here and at the provider, with one event. */
async function theOnlyAccount(person: string): Promise<Record<string, string>> {
  const { id = '' } = await until(`an account of ${person}`, async () => (await world.business.accounts(person))[0])
  const account = await world.business.accountReached(id, 'active')
  assert.equal((await world.business.accounts(person)).length, 1)
  assert.equal((await world.provider.accountsOf(person)).length, 1)
  assert.equal((await world.business.events('virtual_account.created', id)).length, 1)
  return account
}

/** As if the outage had lasted for so long. */
async function outlast(accounts: string[], time: string): Promise<void> {
  await world.rows`
      update operations set created_at = created_at - ${time}::interval,
        lease_until = case when state = 'unknown' then now() else lease_until end
      where subject_id = any(${accounts})`
  world.inside.wake('resume')
}

/**
 * Loses a creation, and reads its outcome past the life of the provider key in this list.
 * @returns the account, once the list has proved nothing
 */
async function lostWhileListed(person: string, listed: unknown[]): Promise<string> {
  await world.provider.fails({ about: person, method: 'POST', mode: 'cut_before', times: 1_000 })
  await world.provider.fails({
    about: person,
    ...{ method: 'GET', mode: 'status', status: 200, times: 1_000 },
    body: { count: listed.length, data: listed },
  })
  assert.equal((await call('POST', path, accountRequest(person))).status, 504)
  const { id = '' } = (await world.business.accounts(person)).find(({ status }) => status === 'pending') ?? {}
  await outlast([id], '24 hours')
  await until('a read that proves nothing', async () => {
    const rows = await world.rows`select 1 from operations
        where subject_id = ${id} and state = 'unknown' and error_code = 'provider_response_unreadable'`
    return rows.length === 1
  })
  return id
}

// A repeat comes after a second: side by side these stories take little longer than one.
describe('the provider goes wrong', { concurrency: 8 }, () => {
  for (const [what, fault] of [
    ['cuts before the work', { mode: 'cut_before' }],
    ['does the work and cuts', { mode: 'cut_after' }],
    ['hangs', { mode: 'hang' }],
    ['does the work too late', { mode: 'delay', delay_ms: 1_900 }],
  ] as const) {
    test(`504 a provider that ${what} leaves the outcome unknown; the account then opens by itself, once`, async () => {
      const { person, answer } = await askWhile(fault)
      assertError(answer, 504, 'provider_timeout', { resolution: /Read the object/ })
      assert.equal(answer.body.error.retryable, true)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      const account = await theOnlyAccount(person)
      assert.match(account['bankAccountNumber'] ?? '', /^\d+$/)
    })
  }

  for (const [what, fault] of [
    ['answers 500', { mode: 'status', status: 500 }],
    ['answers 503', { mode: 'status', status: 503 }],
    ['answers 429', { mode: 'status', status: 429 }],
  ] as const) {
    test(`503 a provider that ${what} is unavailable; the account then opens by itself, once`, async () => {
      const { person, answer } = await askWhile(fault)
      assertError(answer, 503, 'provider_unavailable')
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      await theOnlyAccount(person)
    })
  }

  test('504 an outage of several tries is waited out, and ends in one account', async () => {
    const { person, answer } = await askWhile({ mode: 'cut_after', times: 2 })
    assertError(answer, 504, 'provider_timeout')
    await theOnlyAccount(person)
  })

  test('200 a repeat after 504 under the same key gets the account that was begun, before and after the loop has completed it', async () => {
    for (const waitForLoop of [false, true]) {
      const person = await world.business.user('approved')
      await world.provider.fails({ about: person, mode: 'cut_after' })
      const ask = askUnderKey(person)
      assert.equal((await ask()).status, 504)
      const [begun] = await world.business.accounts(person)
      if (waitForLoop) await world.business.accountReached(begun?.['id'] ?? '', 'active')
      const repeat = await until('no more 409 while the loop tries', async () => {
        const answer = await ask()
        return answer.status !== 409 && answer
      })
      assert.equal(repeat.status, 200, repeat.text)
      assert.equal(repeat.body.data.id, begun?.['id'])
      await theOnlyAccount(person)
      assert.equal((await ask()).text, repeat.text)
    }
  })

  test('200 a repeat after 504 without an Idempotency-Key is another account', async () => {
    const { person } = await askWhile({ mode: 'cut_after' })
    const [begun] = await world.business.accounts(person)
    const other = await call('POST', path, accountRequest(person))
    assert.equal(other.status, 200, other.text)
    assert.notEqual(other.body.data.id, begun?.['id'])
    await world.business.accountReached(begun?.['id'] ?? '', 'active')
    assert.equal((await world.provider.accountsOf(person)).length, 2)
  })

  test('200 a repeat under the same key of an account that has failed in the meantime gets the failed account', async () => {
    const person = await world.business.user('approved')
    await world.provider.fails({ about: person, mode: 'cut_before' })
    const body = { code: 'invalid_parameters', message: 'no' }
    await world.provider.fails({ about: person, mode: 'status', status: 400, body })
    const ask = askUnderKey(person)
    assert.equal((await ask()).status, 504)
    const [begun] = await world.business.accounts(person)
    const failed = await world.business.accountReached(begun?.['id'] ?? '', 'failed')
    const repeat = await ask()
    assert.deepEqual([repeat.status, repeat.body.data], [200, failed])
    assert.deepEqual(await world.provider.accountsOf(person), [])
  })

  test('409 of repeats at once after 504 under the same key one continues, and there is one account', async () => {
    const person = await world.business.user('approved')
    await world.provider.fails({ about: person, mode: 'cut_after' })
    const ask = askUnderKey(person)
    assert.equal((await ask()).status, 504)
    const answers = await Promise.all(Array.from({ length: 6 }, ask))
    const { id } = await theOnlyAccount(person)
    for (const { status, body } of answers)
      if (status === 200) assert.equal(body.data.id, id)
      else
        assert.ok(status === 409 && ['idempotency_in_progress', 'account_change_in_progress'].includes(body.error.code))
  })

  test('409 a repeat whose Idempotency-Key is still running is told to wait, and there is one account in the end', async () => {
    const person = await world.business.user('approved')
    await world.provider.fails({ about: person, mode: 'delay', delay_ms: 1_200 })
    const ask = askUnderKey(person)
    const [repeat, first] = (await Promise.all([ask(), ask()])).toSorted((one, other) => other.status - one.status)
    assert.ok(repeat && first)
    assertError(repeat, 409, 'idempotency_in_progress')
    assert.equal(repeat.headers.get('retry-after'), '1')
    assert.equal(first.status, 200)
    assert.equal((await ask()).text, first.text)
    await theOnlyAccount(person)
  })

  test('422 a refusal names the field and never the value, and leaves nothing behind', async () => {
    const body = {
      code: 'invalid_parameters',
      message: 'Please resubmit',
      source: {
        location: 'body',
        key: { 'destination.address': `${solanaWallet.address} is sanctioned`, fee: 'too high' },
      },
    }
    const { person, answer } = await askWhile({ mode: 'status', status: 400, body })
    assertError(answer, 422, 'provider_rejected', { details: ['destination.address', 'fee'] })
    assert.ok(!answer.text.includes(solanaWallet.address))
    assert.match(answer.text, /too high/)
    assert.deepEqual(await world.business.accounts(person), [])
    assert.deepEqual(await world.provider.accountsOf(person), [])
    assert.equal((await call('POST', path, accountRequest(person))).status, 200)
  })

  for (const [providerCode, status, code] of [
    ['has_not_accepted_tos', 400, 'tos_not_accepted'],
    ['requires_active_kyc_status', 400, 'kyc_not_approved'],
    ['missing_required_endorsements', 403, 'rail_not_enabled'],
  ] as const) {
    test(`422 ${code} when the provider knows better than we do, and nothing is left behind`, async () => {
      const { person, answer } = await askWhile({ mode: 'status', status, body: { code: providerCode, message: 'no' } })
      assertError(answer, 422, code, { resolution: new RegExp(person) })
      assert.deepEqual(await world.business.accounts(person), [])
    })
  }

  test('422 a provider that no longer knows the customer refuses, and nothing is left behind', async () => {
    const { person, answer } = await askWhile({ mode: 'status', status: 404, body: { code: 'Invalid', message: 'no' } })
    assertError(answer, 422, 'provider_rejected')
    assert.deepEqual(await world.business.accounts(person), [])
  })

  test('503 a refused key of ours is our trouble: nothing is told of it, nothing is left behind', async () => {
    const { person, answer } = await askWhile({ mode: 'status', status: 401, body: { code: 'unauthorized' } })
    assertError(answer, 503, 'provider_unavailable')
    assert.ok(!answer.text.includes('unauthorized'))
    assert.deepEqual(await world.business.accounts(person), [])
  })

  test('504 an account whose repeat is refused is failed, kept, and told about', async () => {
    const person = await world.business.user('approved')
    await world.provider.fails({ about: person, mode: 'cut_before' })
    await world.provider.fails({
      about: person,
      mode: 'status',
      status: 400,
      body: { code: 'invalid_parameters', message: 'no' },
    })
    assertError(await call('POST', path, accountRequest(person)), 504, 'provider_timeout')
    const [begun] = await world.business.accounts(person)
    const failed = await world.business.accountReached(begun?.['id'] ?? '', 'failed')
    const [event] = await world.business.events('virtual_account.failed', failed['id'] ?? '')
    assert.deepEqual(event.payload.data, failed)
    assert.deepEqual(await world.provider.accountsOf(person), [])
  })

  test('504 past the life of the provider key the outcome is read, not repeated', async () => {
    const [made, never] = await Promise.all([world.business.user('approved'), world.business.user('approved')])
    await world.provider.fails({ about: made, method: 'POST', mode: 'cut_after', times: 1_000 })
    await world.provider.fails({ about: never, method: 'POST', mode: 'cut_before', times: 1_000 })
    for (const person of [made, never]) assert.equal((await call('POST', path, accountRequest(person))).status, 504)
    const begun = [...(await world.business.accounts(made)), ...(await world.business.accounts(never))].map(
      (row) => row['id'] ?? '',
    )
    await outlast(begun, '24 hours')
    await theOnlyAccount(made)
    await world.business.accountReached(begun[1] ?? '', 'failed')
    assert.deepEqual(await world.provider.accountsOf(never), [])
  })

  for (const [mode, status] of [
    ['cut_after', 'active'],
    ['cut_before', 'failed'],
  ] as const)
    test(`504 two lost requests with the same terms do not wait for each other past the life of their keys: ${mode}`, async () => {
      const person = await world.business.user('approved')
      await world.provider.fails({ about: person, method: 'POST', mode, times: 1_000 })
      const headers = { 'idempotency-key': `second-of-${person}` }
      const second = accountRequest(person, { metadata: { purpose: 'second' } })
      assert.equal((await call('POST', path, accountRequest(person))).status, 504)
      assert.equal((await call('POST', path, second, { headers })).status, 504)
      const begun = (await world.business.accounts(person)).map((row) => row['id'] ?? '')
      assert.equal(begun.length, 2)
      await outlast(begun, '24 hours')
      const ended = await Promise.all(begun.map((id) => world.business.accountReached(id, status)))
      if (status === 'failed') return assert.deepEqual(await world.provider.accountsOf(person), [])
      assert.equal((await world.provider.accountsOf(person)).length, 2)
      assert.equal(new Set(ended.map((account) => account['bankAccountNumber'])).size, 2)
      const repeat = await call('POST', path, second, { headers })
      assert.deepEqual([repeat.status, repeat.body.data.status], [200, 'active'], repeat.text)
    })

  for (const [what, change] of [
    ['name where it pays out', { destination: { payment_rail: 'solana', currency: 'usdc' } }],
    ['name when it was created', { created_at: undefined }],
  ] as const)
    test(`504 an account that does not ${what} may be ours: it is read for a day, and given up`, async () => {
      const person = await world.business.user('approved')
      assert.equal((await call('POST', path, accountRequest(person))).status, 200)
      const [theirs] = await world.provider.accountsOf(person)
      const listed = [{ ...theirs, ...change, id: `unclear-${freshUserId()}` }]
      const id = await lostWhileListed(person, listed)
      await outlast([id], '24 hours')
      const failed = await world.business.accountReached(id, 'failed')
      assert.equal(failed['failureCode'], 'provider_response_unreadable')
    })

  test('504 a list that is full of accounts created since does not prove that none is ours', async () => {
    const person = await world.business.user('approved')
    assert.equal((await call('POST', path, accountRequest(person))).status, 200)
    const [theirs] = await world.provider.accountsOf(person)
    const elsewhere = { ...theirs, destination: { ...theirs?.destination, payment_rail: 'polygon' } }
    await lostWhileListed(
      person,
      Array.from({ length: 100 }, () => ({ ...elsewhere, id: `later-${freshUserId()}` })),
    )
  })
})

test('503 with nobody at the address of the provider nothing was begun, and nothing is left behind', async () => {
  const person = await world.business.user('approved')
  await world.provider.stop()
  const answer = await call('POST', path, accountRequest(person))
  assertError(answer, 503, 'provider_unavailable')
  assert.deepEqual(await world.business.accounts(person), [])
})
