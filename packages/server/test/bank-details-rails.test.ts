// An account that is paid to other numbers by wire than by ACH: each rail shows its own, and one rail changes alone.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Account } from '../src/provider/port.ts'
import { adapted } from './adapted.ts'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
await world.server.stop()

let ofWire = { accountNumber: '555000111', routingNumber: '021000021' }
const withWire = ({ instructions, ...account }: Account): Account => {
  const rails = instructions.rails.map((each) => (each.rail === 'wire' ? { rail: 'wire', numbers: ofWire } : each))
  // The wire comes first: what an account shows follows the order of the offer.
  return { ...account, instructions: { ...instructions, rails: rails.toReversed() } }
}
const replica = await world.replica({
  config: { port: Number(new URL(world.url).port) },
  adapt: adapted(({ accounts }) => ({
    accounts: {
      ...accounts,
      open: async (...given) => withWire(await accounts.open(...given)),
      read: async (...given) => withWire(await accounts.read(...given)),
    },
  })),
})
after(() => replica.stop())

type Entry = { rail: string; details: { name: string; value: string }[] }
const numbersOf = (instructions: Entry[], rail: string) => {
  const details = instructions.find((each) => each.rail === rail)?.details ?? []
  const shown = (wanted: string) => details.find(({ name }) => name === wanted)?.value
  return { accountNumber: shown('accountNumber'), routingNumber: shown('routingNumber') }
}

test('the account shows the numbers for ACH, the instructions show both, and a new number of one rail is told once', async () => {
  const { call } = world.business
  const opened = await world.business.account(await world.business.user('approved'))
  const { id } = opened
  const howToPay = async () => (await call('GET', `/v0/virtual-accounts/${id}/deposit-instructions`)).body.data
  const byAch = { accountNumber: opened['bankAccountNumber'], routingNumber: opened['bankRoutingNumber'] }
  const before = await howToPay()
  assert.notEqual(byAch.accountNumber, ofWire.accountNumber)
  assert.deepEqual(numbersOf(before.instructions, 'ach_push'), byAch)
  assert.deepEqual(numbersOf(before.instructions, 'wire'), ofWire)

  const { customer, account: providerId } = await world.providerIdsOf(id)
  ofWire = { ...ofWire, accountNumber: '555000222' }
  const fee = { developer_fee_percent: opened['developerFeePercent'] }
  await world.provider.ask('PUT', `/customers/${customer}/virtual_accounts/${providerId}`, fee)
  const now = await until('the new number', async () => {
    const read = await howToPay()
    return numbersOf(read.instructions, 'wire').accountNumber === '555000222' && read
  })
  assert.deepEqual(numbersOf(now.instructions, 'ach_push'), byAch)
  assert.deepEqual(now.previousInstructions[0].instructions, before.instructions)
  const events = await world.business.events('virtual_account.updated', id)
  assert.deepEqual(
    events.map(({ payload: { data } }) => [data.changed, data.bankAccountNumber]),
    [[['bankDetails'], byAch.accountNumber]],
  )
  const { data: entries } = (await call('GET', '/v0/audit-log?action=virtual_account.bank_details.changed')).body
  const entry = entries.find(({ subjectId }: { subjectId: string }) => subjectId === id)
  assert.deepEqual(entry.details.changed, ['accountNumber'])

  await call('POST', `/v0/virtual-accounts/${id}/deactivate`)
  assert.deepEqual((await howToPay()).instructions, [])
})
