// POST /v0/virtual-accounts for an end-user whose approval came without an event: the provider is asked before the
// request is rejected.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { customerPath } from '../provider.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const path = '/v0/virtual-accounts'

/** An end-user of whom we hold `under_review`. Whatever the provider decides from now on, it tells nobody. */
async function undecidedUser(): Promise<string> {
  const user = await world.business.user('submitted', { mail: '+review' })
  await world.business.reached(user, 'under_review')
  return user
}
const decide = async (user: string, decision: string) =>
  assert.equal(
    (await world.provider.control('POST', `/customers/${await world.business.customerOf(user)}/kyc`, { decision }))
      .status,
    200,
  )
const customerReads = async (): Promise<number> =>
  (await world.provider.control('GET', '/faults')).body.data[0]?.hits ?? 0

let users: string[] = []
before(async () => {
  users = await Promise.all([undecidedUser(), undecidedUser(), undecidedUser(), undecidedUser()])
  const settled = async () => (await world.rows`select 1 from event_work where state = 'pending'`).length === 0
  await until('what the provider told so far', settled)
  await world.provider.fallSilent()
})

test('200 an approval that no event told is seen when an account is asked for, and told to the business', async () => {
  const [user = ''] = users
  await decide(user, 'approve')
  const answer = await world.business.call('POST', path, accountRequest(user))
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.data.status, 'active')
  const { data } = (await world.business.call('GET', `/v0/end-users/${user}`)).body
  assert.equal(data.kycStatus, 'approved')
  const events = (await world.business.call('GET', '/v0/events?eventType=end_user.kyc.updated&limit=100')).body.data
  assert.ok(
    events.some(
      ({ payload }: { payload: { data: Record<string, unknown> } }) =>
        payload.data['id'] === data.id && payload.data['kycStatus'] === 'approved',
    ),
  )
})

test('200 an account that would wait for an approval which has come already is opened at once', async () => {
  const user = users[1] ?? ''
  await decide(user, 'approve')
  const answer = await world.business.call('POST', path, accountRequest(user, { onPendingKyc: 'wait' }))
  assert.equal(answer.body.data.status, 'active', answer.text)
})

test('422 who is not approved there either is refused, and the provider is asked once in some seconds', async () => {
  const user = users[2] ?? ''
  await world.provider.fails({ path: customerPath, method: 'GET', mode: 'delay', delay_ms: 1, times: 100 })
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => world.business.call('POST', path, accountRequest(user))),
  )
  for (const answer of answers) assertError(answer, 422, 'kyc_not_approved')
  assert.equal(await customerReads(), 1)
  await world.provider.recovers()
})

test('422 while the provider is away, what is held counts', async () => {
  await world.provider.fails({ path: customerPath, method: 'GET', mode: 'status', status: 503, times: 100 })
  assertError(await world.business.call('POST', path, accountRequest(users[3] ?? '')), 422, 'kyc_not_approved')
  await world.provider.recovers()
})
