// The three walks of the architecture, each once through every floor: the first thing to look at when something is broken.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

test('an approved end-user gets an account, and its deposit completes with a verified event at the inbox', async () => {
  const externalUserId = await world.business.user('approved')
  const account = await world.business.account(externalUserId)
  assert.equal(account['status'], 'active')
  const made = await world.business.call('POST', '/v0/sandbox/deposits', {
    virtualAccountId: account['id'],
    amount: '100.00',
  })
  assert.equal(made.status, 200, made.text)
  const deposit = await until('the deposit', async () => {
    const list = await world.business.call('GET', `/v0/virtual-accounts/${account['id']}/deposits`)
    return list.body.data.find((row: { status: string }) => row.status === 'completed')
  })
  assert.deepEqual(deposit.netAmount, { value: '99.50', currency: 'usdc' })
  const message = await until('the event', async () => {
    const inbox = await fetch(`${world.inboxUrl}/messages`)
    const { data } = (await inbox.json()) as { data: { eventType: string; verified: boolean }[] }
    return data.find((row) => row.eventType === 'virtual_account.payment.received')
  })
  assert.equal(message.verified, true)
})
