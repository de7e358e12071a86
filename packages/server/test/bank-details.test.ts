// Bank details are compared at every read of an account. Changed details replace the stored ones, the business gets one
// event, and the former details stay searchable, because payers keep old numbers for years.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './caller.ts'
import { solanaWallet } from './people.ts'
import { walkEnded } from './provider-record.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300' } })
after(() => world.stop())
before(() => walkEnded(world))

type Instructions = { rail: string; details: { name: string; value: string }[] }[]
const numberIn = (instructions: Instructions) =>
  instructions[0]?.details.find(({ name }) => ['accountNumber', 'iban', 'clabe'].includes(name))?.value

const account = async (id: string) => (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data
const howToPay = async (id: string) =>
  (await world.business.call('GET', `/v0/virtual-accounts/${id}/deposit-instructions`)).body.data
const updates = (id: string) => world.business.events('virtual_account.updated', id)

async function newAccount(currency: string) {
  const { id = '' } = await world.business.account(await world.business.user('approved'), { source: { currency } })
  const { customer, account: providerId } = await world.providerIdsOf(id)
  const move = async (): Promise<void> => {
    const { status, text } = await world.provider.control('POST', `/virtual_accounts/${providerId}/move`)
    assert.equal(status, 200, text)
  }
  return { id, path: `/customers/${customer}/virtual_accounts/${providerId}`, customer, move }
}

for (const currency of ['usd', 'eur', 'mxn']) {
  test(`${currency}: an event leads to the new details, told once, with the former kept and their time`, async () => {
    const { id, move } = await newAccount(currency)
    const old = await account(id)
    const shownBefore = await howToPay(id)
    assert.deepEqual(shownBefore.previousInstructions, [])
    await move()
    const changed = await until('the new number', async () => {
      const now = await account(id)
      return now.bankAccountNumber !== old.bankAccountNumber && now
    })
    const shown = await howToPay(id)
    assert.equal(numberIn(shown.instructions), changed.bankAccountNumber)
    const [former, ...more] = shown.previousInstructions
    assert.deepEqual([former.instructions, more], [shownBefore.instructions, []])
    assert.ok(Date.parse(former.validFrom) >= Date.parse(old.createdAt) && former.validFrom < former.validUntil)
    const [told, ...again] = await updates(id)
    assert.deepEqual([told.payload.data, again], [{ ...changed, changed: ['bankDetails'] }, []])

    const { data } = (await world.business.call('GET', '/v0/audit-log?action=virtual_account.bank_details.changed'))
      .body
    const entry = data.find(({ subjectId }: { subjectId: string }) => subjectId === id)
    assert.equal(entry.actor, 'provider')
    assert.ok(entry.details.changed.includes('bankName'))
    for (const number of [old.bankAccountNumber, changed.bankAccountNumber])
      assert.ok(!JSON.stringify(entry).includes(number), 'no number is in the audit log')
  })
}

test('the former details are listed newest first, and stay while the account is deactivated or suspended', async () => {
  const { id, customer, move } = await newAccount('usd')
  const numbers = [(await account(id)).bankAccountNumber]
  for (const count of [1, 2]) {
    await move()
    await until('the next', async () => (await howToPay(id)).previousInstructions.length === count)
    numbers.unshift((await account(id)).bankAccountNumber)
  }
  const former = numbers.slice(1)
  const formerNumbers = async () =>
    (await howToPay(id)).previousInstructions.map((one: { instructions: Instructions }) => numberIn(one.instructions))
  assert.deepEqual(await formerNumbers(), former)
  const [newest, oldest] = (await howToPay(id)).previousInstructions
  assert.equal(newest.validFrom, oldest.validUntil)
  await world.provider.control('POST', `/customers/${customer}/kyc`, { decision: 'pause' })
  await until('the suspension', async () => (await account(id)).status === 'suspended')
  assert.deepEqual([(await howToPay(id)).instructions, await formerNumbers()], [[], former])
  await world.business.call('POST', `/v0/virtual-accounts/${id}/deactivate`)
  assert.deepEqual([(await howToPay(id)).instructions, await formerNumbers()], [[], former])
})

test('a response that leaves rails and bank name out changes nothing: no event, no former details, no rail less', async () => {
  const { id, path } = await newAccount('usd')
  const shown = await howToPay(id)
  assert.ok(shown.instructions.some(({ rail }: { rail: string }) => rail === 'fednow'))
  const theirs = (await world.provider.ask('GET', path)).body
  const { payment_rails: _, payment_rail: __, bank_name: ___, ...partial } = theirs.source_deposit_instructions
  const body = { ...theirs, source_deposit_instructions: partial, developer_fee_percent: '3' }
  await world.provider.fails({ method: 'GET', path: `${path}$`, mode: 'status', status: 200, body })
  await world.provider.ask('PUT', path, { developer_fee_percent: '3' })
  await until('the read', async () => (await account(id)).developerFeePercent === '3')
  const after = await howToPay(id)
  assert.deepEqual([after.instructions, after.previousInstructions], [shown.instructions, []])
  assert.deepEqual(
    (await updates(id)).map(({ payload }: { payload: { data: { changed: string[] } } }) => payload.data.changed),
    [['developerFeePercent']],
  )
})

test('details by which nobody can pay do not take the place of ours', async () => {
  const { id, path } = await newAccount('usd')
  const held = await account(id)
  const theirs = (await world.provider.ask('GET', path)).body
  const { bank_account_number: _, ...unusable } = { ...theirs.source_deposit_instructions, bank_name: 'Another Bank' }
  const body = { ...theirs, source_deposit_instructions: unusable }
  await world.provider.fails({ method: 'GET', path: `${path}$`, mode: 'status', status: 200, body })
  await world.provider.ask('PUT', path, { developer_fee_percent: '3' })
  await until('the report', async () => world.log.some((line) => line.includes('bank_details_missing')))
  assert.equal((await account(id)).bankName, held.bankName)
})

test('an erasure removes the former details', async () => {
  const { id, move } = await newAccount('usd')
  await move()
  await until('the former', async () => (await howToPay(id)).previousInstructions.length === 1)
  const { externalUserId } = (await world.business.call('POST', `/v0/virtual-accounts/${id}/deactivate`)).body.data
  const erased = await until('the erasure', async () => {
    const answer = await world.business.call('DELETE', `/v0/end-users/${externalUserId}`)
    return answer.status === 200 && answer
  })
  assert.equal(erased.status, 200)
  const left = await world.rows`select 1 from former_bank_details where virtual_account_id = ${id}`
  assert.deepEqual(left, [])
})

test('the answer of a change, and a walk, tell of other details as well', async () => {
  const [{ id, move }, other] = [await newAccount('eur'), await newAccount('usd')]
  await world.provider.fallSilent()
  await move()
  const changed = await world.business.call('PATCH', `/v0/virtual-accounts/${id}`, {
    destination: solanaWallet,
    developer_fee_percent: '1.5',
  })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(numberIn((await howToPay(id)).instructions), changed.body.data.bankAccountNumber)
  assert.deepEqual(
    (await updates(id)).map(({ payload }: { payload: { data: { changed: string[] } } }) => payload.data.changed),
    [['developerFeePercent', 'bankDetails']],
  )

  const before = (await account(other.id)).bankAccountNumber
  await other.move()
  const last = (await world.provider.eventIds()).at(-1) ?? null
  await world.rows`update event_pull set cursor_event_id = ${last} returning provider`
  const began = new Date()
  await world.rows`update reread_walk set due_at = now() returning provider`
  world.inside.wake('reconcile')
  await walkEnded(world, began)
  assert.notEqual((await account(other.id)).bankAccountNumber, before)
})
