// Tests a lane against a model of the database: in every order of reads, responses and settlements, each delivery is
// held once, first attempts keep their order, and no delivery is left behind.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import { breakerFailures, windowMaxByDefault } from './circuit-breaker.rules.ts'
import { Lane } from './lane.ts'
import type { LaneConfig } from './lanes.store.ts'
import { overtakeMs } from './order.ts'

type Row = { sequence: number; user: string | null; attempts: number; dueAtMs: number | null }
type Ordering = LaneConfig['ordering']
type Step =
  | 'write'
  | 'store'
  | 'handOver'
  | 'forget'
  | 'read'
  | 'readFresh'
  | 'arrive'
  | 'break'
  | 'send'
  | 'answer'
  | 'settle'
  | 'lose'
  | 'wait'
  | 'waitLong'

const endpointId = 'whe_1'
const users = ['ada', 'ben', null] as const
const heldUpRowsMax = 4

/** Models the waiting rows, and the statements of webhooks/delivery/lane-reading.store.ts. */
class Waiting {
  readonly rows: Row[] = []
  readonly ordering: Ordering
  #last = 0

  /** @param triedTo of those up to this one some wait for their next attempt, and nothing else is left */
  constructor(ordering: Ordering, triedTo: number) {
    this.ordering = ordering
    for (let count = 1; count <= triedTo; count++) this.write(users[count % users.length] ?? null)
    this.rows.splice(0, this.rows.length, ...this.rows.filter(({ sequence }) => sequence % 3 === 1))
    for (const row of this.rows) Object.assign(row, { attempts: 1, dueAtMs: row.sequence })
  }

  write(user: string | null): void {
    this.#last += 1
    this.rows.push({ sequence: this.#last, user, attempts: 0, dueAtMs: null })
  }

  /** @returns what the statement that stores a delivery returns in the current state */
  store(user: string | null): WaitingDelivery[] {
    this.write(user)
    return this.#view(this.rows.slice(-1))
  }

  fresh(after: number, limit: number): WaitingDelivery[] {
    return this.#view(this.rows.filter((row) => row.sequence > after && row.dueAtMs === null).slice(0, limit))
  }

  retries(nowMs: number, busy: readonly number[], limit: number): WaitingDelivery[] {
    const due = this.rows.filter((row) => row.dueAtMs !== null && row.dueAtMs <= nowMs && !busy.includes(row.sequence))
    return this.#view(due.filter((row) => !this.#isBehind(row)).slice(0, limit))
  }

  heldUp(user: string, after: number, through: number): WaitingDelivery[] {
    return this.#view(
      this.rows.filter(
        (row) =>
          row.user === user &&
          row.sequence > after &&
          row.sequence <= through &&
          row.dueAtMs === null &&
          !this.#isBehind(row),
      ),
    )
  }

  nextRetryAtMs(busy: readonly number[]): number | null {
    const times = this.rows.flatMap((row) => (busy.includes(row.sequence) ? [] : (row.dueAtMs ?? [])))
    return times.length > 0 ? Math.min(...times) : null
  }

  settle(sequence: number, dueAtMs: number | null): void {
    const at = this.rows.findIndex((row) => row.sequence === sequence)
    const row = this.rows[at]
    assert.ok(row, 'only what waits is settled')
    if (dueAtMs === null) this.rows.splice(at, 1)
    else Object.assign(row, { attempts: row.attempts + 1, dueAtMs })
  }

  #isBehind(row: Row): boolean {
    if (this.ordering !== 'per_end_user' || row.user === null) return false
    return this.rows.some((other) => other.user === row.user && other.sequence < row.sequence && other.dueAtMs !== null)
  }

  #view(rows: Row[]): WaitingDelivery[] {
    return rows.map((row) => ({
      endpointId,
      sequence: row.sequence,
      id: `dlv_${row.sequence}`,
      businessId: 'biz_1',
      eventId: `evt_${row.sequence}`,
      endUserId: row.user,
      attempts: row.attempts,
      attemptsBefore: 0,
      isRetry: row.dueAtMs !== null,
      isOrdered: this.ordering === 'per_end_user',
      eventType: 't',
      externalUserId: row.user,
      isVerified: true,
      body: Buffer.from('{}'),
      isBehind: this.#isBehind(row),
    }))
  }
}

/** Acts as the send loop, one step at a time, with late reads and settlements. */
class Run {
  readonly waiting: Waiting
  readonly lane: Lane
  readonly sent: { sequence: number; user: string | null; attempt: number }[] = []
  nowMs = 0
  #turns = 0
  #arriving: (() => void)[] = []
  /** Stored by this process; the database has not responded yet. */
  readonly #stored: WaitingDelivery[] = []
  #isBroken = false
  readonly #inFlight: WaitingDelivery[] = []
  readonly #startedMs = new WeakMap<WaitingDelivery, number>()
  readonly #answered: { delivery: WaitingDelivery; dueAtMs: number | null }[] = []

  constructor(ordering: Ordering, triedTo = 0) {
    this.waiting = new Waiting(ordering, triedTo)
    this.lane = new Lane({
      endpointId,
      businessId: 'biz_1',
      fence: 1,
      failures: 0,
      failingForMs: null,
      triedTo,
      wasHeld: false,
    })
  }

  write(user: string | null): void {
    this.waiting.write(user)
  }

  /** Stores an event in this process: the lane receives the result of the insert directly. */
  store(user: string | null): void {
    this.#stored.push(...this.waiting.store(user))
  }

  handOver(): void {
    const row = this.#stored.shift()
    if (row && !this.lane.addStored(row)) this.lane.expectFresh()
  }

  /** Loses the result: the lane does not learn about the delivery until the next delivery or the end of the lane. */
  forget(): void {
    this.#stored.shift()
  }

  /**
   * Runs a turn of the loop: the refresh and the reads that the lane needs are requested together, and arrive in either
   * order.
   */
  read(): void {
    if (this.#arriving.length > 0) return
    this.#isBroken = false
    const { lane, waiting } = this
    const { inHand } = lane.beginRefresh(this.nowMs)
    const retryAtMs = waiting.nextRetryAtMs(inHand)
    const news = () => lane.refresh(configOf(waiting.ordering), retryAtMs)
    const both = lane.config ? [this.#askReading(), news] : [news]
    this.#arriving.push(...(this.#turns++ % 2 === 0 ? both : both.toReversed()))
    this.#arriving.push(() => this.#arriving.push(this.#askReading()))
  }

  /** Runs a turn after notifications of fresh deliveries only: no refresh unless the lane needs one. */
  readFresh(): void {
    if (this.lane.needsRefresh || this.#isBroken) this.read()
    else if (this.#arriving.length === 0) {
      this.lane.expectFresh()
      this.#arriving.push(this.#askReading())
    }
  }

  /** @returns a function that delivers the result, taken from the current state */
  #askReading(): () => void {
    const { lane, waiting, nowMs } = this
    const fresh = lane.freshRequest()
    const retries = lane.retryRequest(nowMs)
    const freshRows = fresh ? waiting.fresh(fresh.after, fresh.limit) : []
    const retryRows = retries ? waiting.retries(nowMs, retries.inHand, retries.limit) : []
    return () => {
      if (fresh) lane.addFresh(fresh, freshRows)
      if (retries) lane.addRetries(retryRows)
      this.#readHeldUp()
    }
  }

  #readHeldUp(): void {
    const { lane, waiting } = this
    const freed = lane.heldBackRequest()
    if (!freed) return
    const rows = waiting.heldUp(freed.endUserId, freed.after, lane.readThrough).slice(0, heldUpRowsMax)
    this.#arriving.push(() => {
      lane.addHeldBack(freed, rows, rows.length < heldUpRowsMax)
      this.#readHeldUp()
    })
  }

  arrive(): void {
    this.#arriving.shift()?.()
  }

  /** Loses the database in the middle of a read: the loop restarts with a refresh. */
  break(): void {
    this.#arriving = []
    this.#isBroken = true
  }

  send(): void {
    const delivery = this.lane.next(this.nowMs)
    if (!delivery) return
    const { sequence, endUserId: user, attempts } = delivery
    const others = [...this.#inFlight, ...this.#answered.map((answered) => answered.delivery)]
    assert.ok(!others.some((other) => other.sequence === sequence), `${sequence} is in hand twice`)
    const row = this.waiting.rows.find((waitingRow) => waitingRow.sequence === sequence)
    assert.ok(row && row.attempts === attempts, `${sequence} is over, or was read before its last attempt`)
    if (user !== null) {
      const together = this.#inFlight.filter((other) => other.endUserId === user)
      const isLong = (other: WaitingDelivery) => this.nowMs - (this.#startedMs.get(other) ?? this.nowMs) >= overtakeMs
      const mayOvertake = this.waiting.ordering === 'best_effort' && together.every(isLong)
      assert.ok(together.length === 0 || mayOvertake, `two of ${user} are in flight`)
      const earlier = this.waiting.rows.filter((other) => other.user === user && other.sequence < sequence)
      if (this.waiting.ordering === 'per_end_user') assert.deepEqual(earlier, [], `${sequence} overtakes`)
      else if (attempts === 0) {
        const untried = earlier.filter(
          (other) => other.attempts === 0 && !others.some((one) => one.sequence === other.sequence),
        )
        assert.deepEqual(untried, [], `the first attempt of ${sequence} overtakes another`)
      }
    }
    this.#inFlight.push(delivery)
    this.#startedMs.set(delivery, this.nowMs)
    this.sent.push({ sequence, user, attempt: attempts + 1 })
  }

  answer(isDelivered: boolean, at: number): void {
    const [delivery] = this.#inFlight.splice(at % Math.max(1, this.#inFlight.length), 1)
    if (!delivery) return
    if (isDelivered) this.lane.breaker.succeeded(this.nowMs)
    // The circuit breaker has separate tests. Here a receiver never fails often enough to be probed.
    else if (this.lane.breaker.failures < breakerFailures - 1) this.lane.breaker.failed(this.nowMs)
    this.lane.answered(delivery)
    this.#answered.push({ delivery, dueAtMs: isDelivered ? null : this.nowMs + 3 })
  }

  settle(): void {
    const next = this.#answered.shift()
    if (!next) return
    this.waiting.settle(next.delivery.sequence, next.dueAtMs)
    this.lane.settled(next.delivery, next.dueAtMs)
  }

  /** Loses the database's response to a settlement, which may or may not be written. */
  lose(isWritten: boolean): void {
    const next = this.#answered.shift()
    if (!next) return
    if (isWritten) this.waiting.settle(next.delivery.sequence, next.dueAtMs)
    this.lane.doubt(next.delivery)
  }

  isOver(): boolean {
    return this.waiting.rows.length === 0 && this.#answered.length + this.#inFlight.length === 0
  }

  /** Ends without further faults: the last write is acknowledged, and then the lane alone decides when to read. */
  finish(): void {
    while (this.#arriving.length > 0) this.arrive()
    while (this.#stored.length > 0) this.handOver()
    this.read()
    for (let turn = 0; turn < 5_000 && !this.isOver(); turn++) {
      this.nowMs += 1
      if (this.lane.wantsReading(this.nowMs)) this.read()
      this.send()
      this.answer(turn > 20 || turn % 2 === 0, 0)
      this.settle()
      this.arrive()
    }
  }
}

function configOf(ordering: Ordering): LaneConfig {
  const secrets = { secretSealed: Buffer.alloc(0), previousSecretSealed: null, previousSecretUntilMs: null }
  return { endpointId, version: 1, url: 'https://example.com', status: 'enabled', ordering, ...secrets }
}

const step = fc.record({
  kind: fc.constantFrom<Step>(
    'write',
    'write',
    'store',
    'store',
    'handOver',
    'handOver',
    'handOver',
    'forget',
    'read',
    'readFresh',
    'arrive',
    'arrive',
    'send',
    'send',
    'answer',
    'settle',
    'lose',
    'break',
    'wait',
    'waitLong',
  ),
  user: fc.constantFrom(...users),
  fails: fc.boolean(),
  at: fc.nat(5),
})

for (const ordering of ['best_effort', 'per_end_user'] as const) {
  test(`${ordering}: each delivery is in hand once, order holds, and all arrive, whatever comes late`, () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 20, maxLength: 300 }),
        fc.constantFrom(0, 0, 400),
        fc.constantFrom(0, 7),
        (steps, backlog, triedTo) => {
          const run = new Run(ordering, triedTo)
          for (let count = 0; count < backlog; count++) run.write(users[count % users.length] ?? null)
          for (const { kind, user, fails, at } of steps) {
            if (kind === 'write' || kind === 'store') run[kind](user)
            else if (kind === 'answer') run.answer(!fails, at)
            else if (kind === 'lose') run.lose(!fails)
            else if (kind === 'wait') run.nowMs += 1
            else if (kind === 'waitLong') run.nowMs += overtakeMs / 2
            else run[kind]()
          }
          run.finish()
          assert.ok(run.isOver(), `left behind: ${JSON.stringify(run.waiting.rows)}`)
        },
      ),
      { numRuns: 150 },
    )
  })
}

test('a delivery that was just stored is sent without a reading, if it is the next one and nothing holds it back', () => {
  const run = new Run('per_end_user')
  run.read()
  while (run.lane.config === null || run.lane.freshRequest()) run.arrive()
  run.store('ada')
  run.handOver()
  assert.equal(run.lane.freshRequest(), null)
  run.send()
  assert.deepEqual(run.sent, [{ sequence: 1, user: 'ada', attempt: 1 }])
  run.answer(false, 0)
  run.settle()
  run.store('ada')
  const [behind] = run.waiting.fresh(1, 1)
  assert.ok(behind && !run.lane.addStored({ ...behind, isBehind: false }), 'known to the lane, if not to the statement')
  run.write('ben')
  const [third] = run.waiting.fresh(2, 1)
  assert.ok(third && !run.lane.addStored(third), 'something lies between')
})

test('what was read before the lane began again is not added as just stored: it may be over', () => {
  const run = new Run('per_end_user')
  run.read()
  while (run.lane.config === null) run.arrive()
  run.store('ada')
  while (run.lane.freshRequest()) run.arrive()
  run.send()
  run.answer(true, 0)
  run.lose(true)
  run.write('ben')
  run.finish()
  assert.deepEqual(
    run.sent.map(({ sequence }) => sequence),
    [1, 2],
  )
})

test('a lane that was told of a change sends nothing until it has read what came after', () => {
  const run = new Run('best_effort')
  run.read()
  while (run.lane.config === null || run.lane.freshRequest()) run.arrive()
  run.store(null)
  run.handOver()
  run.lane.expectChange()
  run.lane.beginRefresh(0)
  run.lane.expectChange() // after the snapshot of that reading
  run.lane.refresh(configOf('best_effort'), null)
  assert.equal(run.lane.next(0), undefined)
  run.lane.beginRefresh(0)
  run.lane.refresh(configOf('best_effort'), null)
  assert.equal(run.lane.next(0)?.sequence, 1)
})

test('a lane whose endpoint is paused sends nothing, and one with another ordering waits for what is in flight', () => {
  for (const change of [{ status: 'paused' }, { ordering: 'per_end_user' }] as const) {
    const run = new Run('best_effort')
    for (let count = 0; count < 2; count++) run.write(null)
    run.read()
    for (let part = 0; part < 3; part++) run.arrive()
    assert.ok(run.lane.next(0))
    run.lane.beginRefresh(0)
    run.lane.refresh({ ...configOf('best_effort'), ...change }, null)
    assert.equal(run.lane.next(0), undefined, JSON.stringify(change))
  }
})

test('deliveries that are told of while a page is being read are asked for next', () => {
  const run = new Run('best_effort')
  run.read()
  for (let part = 0; part < 3; part++) run.arrive()
  run.lane.expectFresh()
  const request = run.lane.freshRequest()
  assert.ok(request)
  run.lane.expectFresh() // after the snapshot of the page, which is empty
  run.lane.addFresh(request, [])
  const next = run.lane.freshRequest()
  assert.ok(next, 'the lane asks again')
  assert.equal(run.lane.wantsReading(0), true)
  run.lane.addFresh(next, [])
  assert.equal(run.lane.freshRequest(), null, 'and no more once nothing was told of')
  assert.equal(run.lane.wantsReading(0), false)
})

test('of new ones and old ones one in four is old, also while only one is sent at a time', () => {
  const run = new Run('best_effort', 7)
  for (let count = 0; count < 9; count++) run.write(null)
  run.nowMs = 10
  run.read()
  for (let part = 0; part < 3; part++) run.arrive()
  const attempts: number[] = []
  for (let next = run.lane.next(10); next; next = run.lane.next(10)) {
    attempts.push(next.attempts + 1)
    run.lane.answered(next)
    run.waiting.settle(next.sequence, null)
    run.lane.settled(next, null)
  }
  assert.deepEqual(attempts, [2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1])
})

test('old ones take a quarter of the window at most, and one while it is smaller', () => {
  for (const [successes, expected] of [
    [0, 1],
    [40, windowMaxByDefault / 4],
  ] as const) {
    const run = new Run('best_effort')
    run.read()
    for (let part = 0; part < 3; part++) run.arrive()
    for (let opened = 0; opened < successes; opened++) run.lane.breaker.succeeded(0)
    const old = new Waiting('best_effort', 120).retries(200, [], 40)
    run.lane.addRetries(old.map((row) => ({ ...row, endUserId: null })))
    let begun = 0
    while (run.lane.next(200)) begun += 1
    assert.equal(begun, expected)
  }
})

test('a lane with a backlog keeps to the window it is given, one without to its own', () => {
  for (const backlog of [300, 100]) {
    const run = new Run('best_effort')
    for (let count = 0; count < backlog; count++) run.write(null)
    for (let opened = 0; opened < 40; opened++) run.lane.breaker.succeeded(0)
    run.read()
    for (let part = 0; part < 3; part++) run.arrive()
    let begun = 0
    while (run.lane.next(0, 4)) begun += 1
    assert.equal(begun, backlog === 300 ? 4 : windowMaxByDefault)
  }
})

test('a delivery whose outcome is in doubt is read again, after everything in hand is settled', () => {
  const run = new Run('best_effort')
  for (let count = 0; count < 3; count++) run.write(null)
  run.read()
  for (let part = 0; part < 3; part++) run.arrive()
  const first = run.lane.next(0)
  const second = run.lane.next(0)
  assert.ok(first && second)
  run.lane.answered(first)
  run.lane.doubt(first)
  assert.equal(run.lane.next(0), undefined, 'nothing starts while something is in hand')
  run.lane.answered(second)
  run.waiting.settle(second.sequence, null)
  run.lane.settled(second, null)
  assert.equal(run.lane.readThrough, 0)
  run.finish()
  assert.deepEqual(
    run.sent.filter(({ attempt }) => attempt === 1).map(({ sequence }) => sequence),
    [1, 3],
  )
})

test('a page that was read before an outcome was in doubt does not bring the delivery back', () => {
  const run = new Run('best_effort')
  run.read()
  while (run.lane.config === null || run.lane.freshRequest()) run.arrive()
  run.store('ada')
  run.lane.expectFresh()
  const request = run.lane.freshRequest()
  const page = run.waiting.fresh(0, 1)
  assert.ok(request && page.length === 1)
  run.handOver()
  run.send()
  run.answer(true, 0)
  run.lose(true)
  run.lane.addFresh(request, page)
  run.send()
  assert.equal(run.sent.length, 1)
})

test('what could not be sent through a fault of ours comes first again, with the same attempt, after a pause', () => {
  const run = new Run('per_end_user')
  run.write('ada')
  run.write('ada')
  run.read()
  for (let part = 0; part < 3; part++) run.arrive()
  const first = run.lane.next(0)
  assert.equal(first?.sequence, 1)
  run.lane.putBack(first, 1_000)
  assert.equal(run.lane.next(999), undefined)
  assert.equal(run.lane.waitMs(600), 400)
  const again = run.lane.next(1_000)
  assert.deepEqual([again?.sequence, again?.attempts], [1, 0])
})

test('a lane says how long it is until its first retry', () => {
  const run = new Run('best_effort')
  run.lane.beginRefresh(0)
  run.lane.refresh(configOf('best_effort'), 50)
  assert.equal(run.lane.dueInMs(20, 5_000), 30)
})

test('an endpoint that was enabled again is sent to at once, and each time counts once', () => {
  const { lane } = new Run('best_effort')
  const fail = () => {
    for (let count = 0; count < breakerFailures; count++) lane.breaker.failed(0)
    lane.failingSinceMs = 0
  }
  const isFailing = () => [lane.breaker.state, lane.failingSinceMs]
  fail()
  lane.resume(new Date(1), 0)
  assert.deepEqual(isFailing(), ['sending', null])
  fail()
  lane.resume(new Date(1), 0)
  assert.deepEqual(isFailing(), ['probing', 0])
  lane.resume(new Date(2), 0)
  assert.deepEqual(isFailing(), ['sending', null])
})
