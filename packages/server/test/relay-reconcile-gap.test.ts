// A number that was jumped over in the provider's events: fetched soon, unless it was never for us, or forged.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  heldIds,
  makeDeposits,
  providerIdsIn,
  pullState,
  receiveAll,
  reconcileWorld,
  recordedIds,
} from './reconcile-world.ts'
import { activityEvent, providerEvents, providerIdsOf, silenceProvider } from './relay-provider.ts'
import { approvedUser, openAccount, until } from './test-world.ts'

const world = await reconcileWorld()
after(() => world.stop())

let ids = { customer: '', account: '' }
before(async () => {
  const account = await openAccount(world, await approvedUser(world))
  ids = await providerIdsOf(world, account['id'] ?? '')
  await until('all events', async () => (await heldIds(world)).length === (await recordedIds(world)).length)
  await silenceProvider(world)
})
const lookNow = async () => {
  await world.rows((query) => query`update event_pull set gap_due_at = now() where gap_due_at is not null returning id`)
  world.server.deps.wake('reconcile')
}
const highest = async () => Math.max(...(await providerEvents(world)).map((event) => Number(event['event_sequence'])))

test('events that were jumped over are fetched within seconds, long before the period is over and however many', async () => {
  await using receiver = await receiveAll(world)
  await makeDeposits(world, ids.account, 70)
  const recorded = await providerEvents(world)
  const steps = recorded.filter(({ event_object: step }) => step['virtual_account_id'] === ids.account)
  const [first, last] = [steps.at(0), steps.at(-1)]
  assert.ok(steps.length > 200, 'more than a page, and all of it young')
  for (const event of [first, last]) assert.equal((await world.post(event)).status, 200)
  await until('the lost events', () => providerIdsIn(receiver).length >= steps.length)
  assert.deepEqual(providerIdsIn(receiver).toSorted(), steps.map(({ event_id: id }) => id).toSorted())
  await until('the end of the gap', async () => (await pullState(world)).gapAfter === null)
})

test('numbers of events that were never meant for us close after one look, and the next look comes later', async () => {
  const jump = async () => {
    const { seen } = await pullState(world)
    const number = (seen.at(-1)?.[1] ?? 0) + 3
    await world.post({ ...activityEvent(ids, { deposit: 'd', type: 'none' }), event_sequence: number })
    const { gapDueAt } = await until('the gap', async () => {
      const state = await pullState(world)
      return state.gapAfter === number - 3 && state
    })
    const waitMs = (gapDueAt?.getTime() ?? 0) - Date.now()
    await lookNow()
    await until('the end of the gap', async () => (await pullState(world)).gapAfter === null)
    return waitMs
  }
  const waits = [await jump(), await jump(), await jump()]
  assert.equal((await pullState(world)).gapsInVain, 3)
  for (const [at, waitMs] of waits.entries())
    assert.ok(waitMs > 3_000 * 2 ** at && waitMs <= 5_000 * 2 ** at, `wait ${at}: ${waitMs} ms`)
})

test('a forged number makes us look for nothing', async () => {
  const last = Math.max(await highest(), (await pullState(world)).seen.at(-1)?.[1] ?? 0)
  for (const number of [last + 1_000, Number.MAX_SAFE_INTEGER]) {
    const forged = { ...activityEvent(ids, { deposit: 'forged', type: 'none' }), event_sequence: number }
    assert.equal((await world.post(forged, { signed: false })).status, 200)
  }
  await world.post({ ...activityEvent(ids, { deposit: 'd', type: 'none' }), event_sequence: last + 1 })
  const state = await until('the real number', async () => {
    const found = await pullState(world)
    return found.seen.at(-1)?.[1] === last + 1 && found
  })
  assert.equal(state.gapAfter, null)
})
