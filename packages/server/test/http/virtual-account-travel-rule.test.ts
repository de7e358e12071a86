// destination.travel_rule_data: passed on to the provider as it is when an account is created, and not kept.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError } from '../caller.ts'
import { solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const path = '/v0/virtual-accounts'
const user = await world.business.user('approved')
const told = {
  beneficiary: {
    is_self: true,
    wallet_type: 'self_custodied',
    wallet_attested_ownership_at: '2026-11-01T00:00:00.000Z',
  },
}
/** The provider refuses this, so its refusal shows that it got the data. */
const refused = { beneficiary: { is_self: 'canary', wallet_type: 'pocket' } }
const withRule = (travel_rule_data: unknown) => ({ ...solanaWallet, travel_rule_data })

test('200 travel rule data goes to the provider when an account is created, and nothing of it is kept', async () => {
  const made = await world.business.call('POST', path, accountRequest(user, { destination: withRule(told) }))
  assert.equal(made.status, 200, made.text)
  assert.ok(!made.text.includes('self_custodied'))
  const kept = await world.rows<{ kept: string }>`
    select v::text as kept from virtual_accounts v union all select o::text from operations o`
  assert.ok(kept.length >= 2)
  for (const row of kept) assert.ok(!row.kept.includes('self_custodied'), row.kept)
})

test('422 what the provider finds wrong in it is told', async () => {
  assertError(
    await world.business.call('POST', path, accountRequest(user, { destination: withRule(refused) })),
    422,
    'provider_rejected',
  )
})

test('400 what is no object, or is larger than 4 KiB, is refused', async () => {
  for (const [data, code] of [
    ['self', 'invalid_type'],
    [{ text: 'x'.repeat(4_096) }, 'invalid_length'],
  ] as const)
    assertError(
      await world.business.call('POST', path, accountRequest(user, { destination: withRule(data) })),
      400,
      code,
      {
        param: 'destination.travel_rule_data',
      },
    )
})

test('400 a change of an account takes none: the provider takes it at creation only', async () => {
  const made = await world.business.call('POST', path, accountRequest(user))
  assertError(
    await world.business.call('PATCH', `${path}/${made.body.data.id}`, { destination: withRule(told) }),
    400,
    'invalid_value',
    { param: 'destination.travel_rule_data', message: /only when an account is created/ },
  )
})
