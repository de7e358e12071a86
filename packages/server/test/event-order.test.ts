// The provider's events may come late, in any order, repeated, or not at all, with forgeries among them. In the end the
// API shows the provider's own state, and the same as for a business whose events came in order. SEED=n repeats a
// failed run, EVENT_ORDER_RUNS=n runs more of them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { isNightly } from '../../../scripts/test-needs.ts'
import { until } from './caller.ts'
import { assertAddsUp } from './deposit-sums.ts'
import { arrive, assertTroubled, type Cohort, type Draw, deliver, fateOf, ways } from './event-order-arrival.ts'
import {
  beginnings,
  closingFee,
  newPlayer,
  openAccounts,
  type Player,
  play,
  providerAtRest,
  type Step,
  steps,
} from './event-order-story.ts'
import {
  accountClaim,
  comparable,
  depositClaim,
  type Shown,
  shownTo,
  type Truth,
  truthOf,
  userClaim,
} from './event-order-truth.ts'
import type { Envelope } from './provider.ts'
import { openWorld } from './world.ts'

const runs = Number(process.env['EVENT_ORDER_RUNS'] ?? (isNightly ? 40 : 2))
const seed = process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }

// Nothing is looked up at the provider before the test says so: a look would put right what the order of events broke.
const world = await openWorld({ alone: true, sandbox: { kycDecisionMs: 1, depositStepMs: 0 } })
after(() => world.stop())
before(async () => {
  const { data } = (await world.provider.ask('GET', '/webhooks')).body
  for (const { id } of data) await world.provider.ask('DELETE', `/webhooks/${id}`)
})

let lastReadId: string | null = null
/** The provider's own record since the last look, oldest first. */
async function newEvents(): Promise<Envelope[]> {
  const events: Envelope[] = []
  for (;;) {
    const after: string = lastReadId === null ? '' : `&starting_after=${lastReadId}`
    const { data } = (await world.provider.ask('GET', `/webhook_events?limit=500${after}`)).body
    events.push(...data)
    lastReadId = data.at(-1)?.event_id ?? lastReadId
    if (data.length < 500) return events
  }
}

const isAbout = ({ users }: Player, { event_object: object }: Envelope): boolean =>
  users.some(({ customer }) => customer === object['customer_id'] || customer === object['id'])

const allDealtWith = () =>
  until('all events to be dealt with', async () => {
    const [row] = await world.rows<{ pending: number }>`
      select count(*)::int as pending from event_work where state = 'pending'`
    return row?.pending === 0
  })

/** `middle`: a part of the events stays on its way; `end`: all of them arrive; `closing`: the same, and nothing comes after. */
type Place = 'middle' | 'end' | 'closing'

async function playChapter(cohorts: readonly Cohort[], given: readonly Step[], draw: Draw, place: Place) {
  const isLast = place === 'closing'
  for (const step of given) {
    await Promise.all(cohorts.map((cohort) => play(world, cohort, step)))
    await providerAtRest(world)
    const events = await newEvents()
    for (const cohort of cohorts) {
      const own = events
        .filter((event) => isAbout(cohort, event))
        .flatMap((event) => fateOf(cohort, event, draw, isLast))
      if (cohort.way === 'in order') await deliver(world, cohort, own)
      else cohort.pending.push(...own)
    }
    await allDealtWith()
  }
  for (const cohort of cohorts) if (cohort.way !== 'in order') await arrive(world, cohort, draw, place !== 'middle')
  await allDealtWith()
}

async function begin(draw: Draw): Promise<Cohort[]> {
  const beginning = draw(beginnings)
  const cohorts = await Promise.all(
    ways.map(async (way): Promise<Cohort> => {
      const trouble = { inversions: 0, late: 0, repeats: 0, renamed: 0, drops: 0, forgeries: 0 }
      return { ...(await newPlayer(world, beginning.undecided)), way, pending: [], lastSequence: 0, trouble }
    }),
  )
  await providerAtRest(world)
  for (const event of await newEvents()) await world.post(event)
  await allDealtWith()
  await Promise.all(cohorts.map((cohort) => openAccounts(world, cohort, beginning)))
  return cohorts
}

/** Takes in from the provider's record what no webhook brought; nothing is read again. */
async function pullWhatIsMissing(): Promise<void> {
  await world.rows`update reread_walk set ended_at = now(), due_at = now() + interval '1 day' returning provider`
  // With a period of a second an event is left to its webhook for 0.2 s.
  await using _ = await world.replica({ config: { reconcilePeriodSeconds: 1 } })
  await until('the end of the record', async () => {
    const [row] = await world.rows<{ id: string }>`select cursor_event_id as id from event_pull`
    return row?.id === lastReadId
  })
  await allDealtWith()
}

/** Reads everything again, as if the provider's record had been lost too. */
async function readAgain(): Promise<void> {
  await world.rows`update event_pull set cursor_event_id = ${lastReadId} returning provider`
  const began = new Date()
  await using replica = await world.replica({ config: { reconcilePeriodSeconds: 1 } })
  await until('the end of the walk', async () => {
    // Its steps are a second apart on purpose; nobody waits for that here.
    const [row] = await world.rows<{ endedAt: Date | null }>`
        update reread_walk set due_at = case when ended_at > ${began} then due_at else now() end returning ended_at`
    replica.inside.wake('reconcile')
    return (row?.endedAt ?? began) > began
  })
  await allDealtWith()
}

function assertTrue(cohort: Cohort, shown: Shown, truth: Truth): void {
  const { way } = cohort
  assert.deepEqual(shown.users.map(userClaim), truth.users, `end-users, ${way}`)
  assert.deepEqual(shown.accounts.map(accountClaim), truth.accounts, `accounts, ${way}`)
  const claims = shown.deposits.map((deposit) => [deposit.providerDepositId, depositClaim(deposit)])
  assert.deepEqual(Object.fromEntries(claims), Object.fromEntries(truth.deposits), `deposits, ${way}`)
  assert.equal(claims.length, truth.deposits.size, `number of deposits, ${way}`)
  for (const deposit of shown.deposits) assertAddsUp(deposit)
}

/** Each completed deposit has exactly one `payment.received` event, and no other deposit has one. */
async function assertToldOnce(cohort: Cohort, shown: Shown): Promise<void> {
  const told = await cohort.world.business.call(
    'GET',
    '/v0/events?eventType=virtual_account.payment.received&limit=100',
  )
  const ids = told.body.data.map(({ payload }: { payload: { data: { id: string } } }) => payload.data.id)
  const completed = shown.deposits.filter(({ status }) => status === 'completed').map(({ id }) => id)
  assert.deepEqual(ids.sort(), completed.sort(), `payments told, ${cohort.way}`)
}

/** Something to put out of order, whatever chance makes of the rest. */
const opening: Step[] = [
  { kind: 'deposit', account: 0, cents: 250_00, outcome: 'completed' },
  { kind: 'deposit', account: 1, cents: 9_999_99, outcome: 'in_review' },
]
/** A fee that no other step draws: without the event of this change the account shows another fee, whatever came before. */
const closing: Step[] = [{ kind: 'change', account: 0, to: { developer_fee_percent: closingFee } }]
const chapter = fc.array(steps, { minLength: 5, maxLength: 7 })

test('whatever way the provider’s events come, everything ends as the provider has it', async (t) => {
  const seen = { runs: 0, deposits: 0, payouts: 0 }
  const chapters = fc.tuple(fc.constant(opening), chapter, chapter, chapter, fc.constant(closing))
  const story = fc.asyncProperty(chapters, fc.gen(), async (given, draw) => {
    const drawOne: Draw = (what) => draw(() => what)
    const cohorts = await begin(drawOne)
    const places: Place[] = ['middle', 'middle', 'middle', 'end', 'closing']
    for (const [at, place] of places.entries()) await playChapter(cohorts, given[at] ?? [], drawOne, place)
    assertTroubled(cohorts)
    const truths = await Promise.all(cohorts.map((cohort) => truthOf(world, cohort)))
    const look = async (at: number): Promise<[Cohort, Shown, Truth]> => {
      const [cohort, truth] = [cohorts[at], truths[at]]
      assert.ok(cohort && truth)
      return [cohort, await shownTo(cohort), truth]
    }
    const compared = ([{ deposits }, shown]: [Cohort, Shown, Truth]) => comparable(shown, deposits)

    const inOrder = await look(0)
    assertTrue(...inOrder)
    for (const at of [1, 2]) {
      const found = await look(at)
      assertTrue(...found)
      assert.deepEqual(compared(found), compared(inOrder), found[0].way)
      await assertToldOnce(found[0], found[1])
    }
    const before = JSON.stringify(compared(await look(3)))
    assert.notEqual(before, JSON.stringify(compared(inOrder)), 'what was dropped was never missed')
    // Both ways to recover, whatever the number of runs.
    await (seen.runs % 2 === 0 ? pullWhatIsMissing() : readAgain())
    const recovered = await look(3)
    assertTrue(...recovered)
    assert.deepEqual(compared(recovered), compared(inOrder), 'dropped')
    await assertToldOnce(recovered[0], recovered[1])
    seen.runs += 1
    seen.deposits += inOrder[1].deposits.length
    seen.payouts += inOrder[1].deposits.filter(({ status }) => status === 'completed').length
  })
  await fc.assert(story, { numRuns: runs, endOnFailure: true, ...seed })
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.runs, runs)
  assert.ok(seen.payouts > 0, 'nothing was paid out')
})
