// GET /v0/information-requests

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { InformationRequest } from '../business.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.business
const path = '/v0/information-requests'
const [one, other] = [await world.business.user('approved'), await world.business.user('approved')]
const { id: account = '' } = await world.business.account(one)
const deposit = await world.business.deposit(account, { amount: '30.00', outcome: 'in_review' }, 'in_review')
const first = await world.business.informationRequest({ externalUserId: one })
const second = await world.business.informationRequest({ externalUserId: other })
const third = await world.business.informationRequest({ externalUserId: one, depositId: deposit.id })
const advance = (id: string, to: string) => call('POST', `/v0/sandbox/information-requests/${id}/advance`, { to })
await advance(second.id, 'closed')
await world.business.informationRequestReached(second.id, 'closed')

const idsOf = async (query: string): Promise<string[]> => {
  const answer = await call('GET', `${path}${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.map(({ id }: InformationRequest) => id)
}

test('200 newest first, by state, by end-user, by time, in pages', async () => {
  assert.deepEqual(await idsOf(''), [third.id, second.id, first.id])
  assert.deepEqual(await idsOf('?state=action_required'), [third.id, first.id])
  assert.deepEqual(await idsOf('?state=closed'), [second.id])
  assert.deepEqual(await idsOf(`?externalUserId=${one}`), [third.id, first.id])
  assert.deepEqual(await idsOf(`?externalUserId=${one}&state=closed`), [])
  assert.deepEqual(await idsOf('?externalUserId=nobody'), [])
  assert.deepEqual(await idsOf('?createdAfter=2100-01-01T00:00:00Z'), [])
  const page = await call('GET', `${path}?limit=2`)
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  assert.deepEqual(await idsOf(new URL(link).search), [first.id])
})

test('the end-user and the deposit show what is open, and an end-user with nothing else to do is told why', async () => {
  const user = (await call('GET', `/v0/end-users/${one}`)).body.data
  assert.deepEqual(
    user.informationRequests.map(({ id }: InformationRequest) => id),
    [first.id, third.id],
  )
  assert.deepEqual(user.nextAction, { kind: 'contact_support', reason: 'information_requested' })
  const shown = (await call('GET', `/v0/deposits/${deposit.id}`)).body.data.informationRequests
  assert.deepEqual(shown, [{ id: third.id, state: 'action_required', deadline: third.deadline, actionTaken: null }])
  assert.deepEqual((await call('GET', `/v0/deposits?externalUserId=${one}`)).body.data[0].informationRequests, shown)
  await advance(first.id, 'in_review')
  await world.business.informationRequestReached(first.id, 'in_review')
  await advance(third.id, 'closed')
  await world.business.informationRequestReached(third.id, 'closed')
  const later = (await call('GET', `/v0/end-users/${one}`)).body.data
  assert.deepEqual(
    later.informationRequests.map(({ id, state }: InformationRequest) => [id, state]),
    [[first.id, 'in_review']],
  )
  assert.deepEqual(later.nextAction, { kind: 'none' }, 'it is the provider’s turn')
  assert.deepEqual((await call('GET', `/v0/deposits/${deposit.id}`)).body.data.informationRequests, [])
})

test('200 another business sees none of them', async () => {
  const { apiKey } = await world.otherBusiness()
  const answer = await call('GET', path, undefined, { key: apiKey })
  assert.deepEqual(answer.body, { data: [] })
  const ofUser = await call('GET', `${path}?externalUserId=${one}`, undefined, { key: apiKey })
  assert.deepEqual(ofUser.body, { data: [] })
})

test('400 a state that is none, and a filter that there is not', async () => {
  assertError(await call('GET', `${path}?state=on_developer`), 400, 'invalid_query', { param: 'state' })
  assertError(await call('GET', `${path}?customer=x`), 400, 'invalid_query', { param: 'customer' })
})
