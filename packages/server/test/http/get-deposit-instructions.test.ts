// getDepositInstructions: GET /v0/virtual-accounts/{id}/deposit-instructions

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const read = (id = '', key?: string) =>
  call('GET', `/v0/virtual-accounts/${id}/deposit-instructions`, undefined, key === undefined ? {} : { key })
const user = await world.business.user('approved')

type Entry = { rail: string; railName: string; details: { name: string; label: string; value: string }[] }
const told = (entry: Entry | undefined) =>
  Object.fromEntries(entry?.details.map(({ name, value }) => [name, value]) ?? [])

for (const [currency, rails, number, place] of [
  ['usd', ['ach_push', 'wire', 'fednow'], 'accountNumber', 'routingNumber'],
  ['eur', ['sepa'], 'iban', 'bic'],
  ['mxn', ['spei'], 'clabe', null],
] as const) {
  test(`200 ${currency}: one entry for each rail, with the numbers that the account shows`, async () => {
    const account = await world.business.account(user, { source: { currency } })
    const shown = dataOf(await read(account['id']))
    assert.deepEqual([shown.virtualAccountId, shown.status, shown.sourceCurrency], [account['id'], 'active', currency])
    const entries: Entry[] = shown.instructions
    assert.ok(entries.length > 0)
    assert.ok(entries.every(({ rail }) => (rails as readonly string[]).includes(rail)))
    assert.equal(new Set(entries.map(({ rail }) => rail)).size, entries.length)
    for (const entry of entries) {
      const details = told(entry)
      assert.equal(details[number], account['bankAccountNumber'])
      if (place) assert.equal(details[place], account['bankRoutingNumber'])
      assert.equal(details['bankName'], account['bankName'])
      assert.ok(entry.details.every(({ label, value }) => label !== '' && value !== ''))
      const others = ['accountNumber', 'routingNumber', 'iban', 'bic', 'clabe'].filter(
        (name) => name !== number && name !== place,
      )
      for (const other of others) assert.ok(!(other in details), `${currency} shows ${other}`)
    }
  })
}

test('200 nobody is told to pay into an account that is pending or deactivated', async () => {
  const request = accountRequest(await world.business.user(), { onPendingKyc: 'wait' })
  const pending = dataOf(await call('POST', '/v0/virtual-accounts', request))
  assert.deepEqual(dataOf(await read(pending.id)).instructions, [])
  const account = await world.business.account(user)
  await call('POST', `/v0/virtual-accounts/${account['id']}/deactivate`)
  const shown = dataOf(await read(account['id']))
  assert.deepEqual([shown.status, shown.instructions], ['deactivated', []])
  await call('POST', `/v0/virtual-accounts/${account['id']}/reactivate`)
  assert.notDeepEqual(dataOf(await read(account['id'])).instructions, [])
})

test('200 payerRules say who may pay, under which name, and the smallest deposit after the fee', async () => {
  const request = accountRequest(user, { developer_fee_percent: '1' })
  const account = dataOf(await call('POST', '/v0/virtual-accounts', request))
  const { payerRules, minimumAmount } = dataOf(await read(account.id))
  assert.equal(minimumAmount, '1')
  const { minimumAfterFee, minimumDeposit, maximumAmount, payerUsesName, asOf } = payerRules
  // 1.01 less one percent is 0.9999, which does not pass.
  assert.deepEqual([minimumAfterFee, minimumDeposit, maximumAmount], ['1', '1.02', null])
  assert.deepEqual([payerUsesName, asOf], [account.beneficiaryName, '2026-11-26'])
  const kinds = (rules: { payers: { kind: string; text: string }[] }) => rules.payers.map(({ kind }) => kind)
  assert.ok(kinds(payerRules).includes('own_account') && kinds(payerRules).includes('family_member'))
  assert.ok(payerRules.payers.every(({ text }: { text: string }) => text.endsWith('.')))
  const pesos = dataOf(await read((await world.business.account(user, { source: { currency: 'mxn' } }))['id']))
  assert.deepEqual([kinds(pesos.payerRules), pesos.payerRules.minimumDeposit], [['own_account', 'business'], '50.26'])
  const byRail = { ...accountRequest(user), fee_config: { source: { fee_percent: '0.8' } } }
  const fees = dataOf(await read(dataOf(await call('POST', '/v0/virtual-accounts', byRail)).id))
  assert.equal(fees.payerRules.minimumDeposit, null)
})
