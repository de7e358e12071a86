// Stories of deposits: each report once, in any order, and no amount wrong.

import assert from 'node:assert/strict'
import type { ProviderActivity } from '../../../src/provider/port.ts'
import { until } from '../../caller.ts'
import { draws } from '../../deposit-books-story.ts'
import { type Story, story } from '../contract.ts'
import { depositOf } from '../money.ts'
import { approved, freshWrite, type With, type World } from '../worlds.ts'
import { termsOf } from './accounts.ts'

const pair = { sourceCurrency: 'usd', destinationCurrency: 'usdc' }

/** Outcomes of the control protocol, and the status in which each must end. */
const outcomes = {
  completed: 'completed',
  scheduled: 'completed',
  reviewed_completed: 'completed',
  reviewed_refunded: 'refunded',
  refunded: 'refunded',
  refund_failed: 'failed',
  in_review: 'in_review',
} as const

export async function openAccount(world: World<'customers' | 'accounts'>) {
  const { id: customerId } = await approved(world)
  const { id: accountId } = await world.provider.accounts.open(customerId, termsOf(world.provider), freshWrite())
  return { customerId, accountId }
}

/** Waits for each deposit to reach its status. @returns the activities of each */
export async function historyUntil(
  { deposits }: With<'deposits'>,
  { customerId, accountId }: { customerId: string; accountId: string },
  expected: ReadonlyMap<string, string>,
): Promise<Map<string, ProviderActivity[]>> {
  return await until('the end of each deposit', async () => {
    const page = await deposits.ofAccount(customerId, accountId, { limit: deposits.pageMax })
    const byDeposit = Map.groupBy(page, ({ depositId }) => depositId ?? '')
    const isThere = [...expected].every(([id, status]) => {
      const activities = byDeposit.get(id)
      return activities !== undefined && depositOf(activities, pair).status === status
    })
    return isThere && byDeposit
  })
}

export const depositStories: readonly Story[] = [
  story(
    12,
    'a deposit ends the same, whatever order its reports have',
    ['customers', 'accounts', 'deposits'],
    async (world) => {
      const account = await openAccount(world)
      const made = new Map<string, string>()
      for (const [outcome, status] of Object.entries(outcomes))
        made.set(await world.control.deposit(account.accountId, { amount: '100.00', outcome, step_ms: 1 }), status)
      const reviewed = [...made].find(([, status]) => status === 'in_review')?.[0] ?? ''
      const history = await historyUntil(world.provider, account, made)
      const draw = draws(1)
      for (const [id, status] of made) {
        const activities = history.get(id) ?? []
        for (const { customerId, virtualAccountId } of activities)
          assert.deepEqual([customerId, virtualAccountId], [account.customerId, account.accountId])
        const deposit = depositOf(activities, pair)
        assert.equal(deposit.grossAmount?.value, '100.00', `${status} has the amount that was paid`)
        for (let turn = 0; turn < 5; turn++)
          assert.deepEqual(depositOf(draw.shuffled([...activities, ...activities]), pair), deposit)
        // The page lists the newest first, so the first activity alone is a provider that skips states.
        assert.equal(depositOf(activities.slice(0, 1), pair).status, status)
        assert.equal(deposit.completedAt !== null, status === 'completed')
      }
      await world.control.advanceDeposit(reviewed, 'completed')
      const later = await historyUntil(world.provider, account, new Map([[reviewed, 'completed']]))
      for (const [id, activities] of history) {
        if (id === reviewed || id === '') continue
        const both = [...(later.get(id) ?? []), ...activities]
        assert.deepEqual(depositOf(both, pair), depositOf(activities, pair), 'a second report changes nothing')
      }
    },
  ),
  story(13, 'the amounts of 200 deposits are exact or null', ['deposits'], async (world) => {
    const { seed, pages, deposits } = world.candidate.draw?.(200) ?? assert.fail('the candidate draws no deposits')
    const told: ProviderActivity[] = []
    for (const body of pages) {
      world.wire.forge(() => ({ status: 200, headers: { 'content-type': 'application/json' }, body }))
      told.push(...(await world.provider.deposits.ofAccount('customer', 'account', { limit: 100 })))
    }
    world.wire.heal()
    const byDeposit = Map.groupBy(told, ({ depositId, activity }) => depositId ?? activity.id)
    for (const { id, pair: own, status, shown } of deposits) {
      const activities = byDeposit.get(id) ?? []
      const deposit: Record<string, unknown> = depositOf(activities, own)
      const found = Object.fromEntries(Object.keys(shown).map((name) => [name, deposit[name]]))
      assert.deepEqual({ ...found, status: deposit['status'] }, { ...shown, status }, `SEED=${seed}, deposit ${id}`)
    }
  }),
]
