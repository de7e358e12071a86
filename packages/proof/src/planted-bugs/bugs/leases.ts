// Leases and clocks: the right to write is checked where the effect happens, ends without being forgotten, and hangs on no
// wall clock.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const keys = 'packages/server/src/platform/http/idempotency/service.ts'
const leased = 'packages/server/test/http/idempotency-lease.test.ts'

export const leaseBugs: readonly PlantedBug[] = [
  {
    name: 'late-holder-commits',
    promise: 'what a holder writes is committed only while it holds its lease',
    file: 'packages/server/src/platform/postgres/leases.ts',
    find: 'if (!confirmed.has(tx) && (await lease.lock(tx)).length === 0) throw lease.lost()',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/leases.test.ts',
        test: 'an event that another replica has taken, put off or finished',
      },
    ],
  },
  {
    name: 'response-stored-without-the-lease',
    promise: 'the work of a request is committed only by the holder of its Idempotency-Key',
    file: keys,
    find: 'if (!(await save(deps, tx, held, response))) throw inProgress()',
    replace: 'await save(deps, tx, held, response)',
    caughtBy: [{ file: leased, test: 'a request that outlives its lease is rolled back' }],
  },
  {
    name: 'key-released-by-a-former-holder',
    promise: 'a request that has lost its Idempotency-Key does not release it for others',
    file: keys,
    find: 'set lease_until = ${endedSql(tx)} where ${heldRowOf(tx, held)}',
    replace: 'set lease_until = ${endedSql(tx)} where ${rowOf(tx, held)}',
    caughtBy: [{ file: leased, test: 'a request that has lost its key does not release the key' }],
  },
  {
    name: 'key-forgotten-after-a-failure',
    promise: 'after a failure an Idempotency-Key still knows the request that it was for',
    file: keys,
    find: "return isPassing ? 'release' : 'keep'",
    replace: "return isPassing ? 'forget' : 'keep'",
    caughtBy: [{ file: leased, test: 'after a response that may be tried again another body is refused' }],
  },
  {
    name: 'send-begun-without-time-in-the-lease',
    promise: 'a send begins only if the lease leaves a receiver time to answer',
    file: 'packages/server/src/webhooks/delivery/lease.ts',
    find: 'nowMs + sendMsMin + endMs <= this.#endsMs',
    replace: 'nowMs <= this.#endsMs',
    caughtBy: [{ file: 'packages/server/test/relay-lease.test.ts', test: 'no send begins when less than the margin' }],
  },
  {
    name: 'held-back-page-of-before-a-retry',
    promise: 'held-back deliveries are read again after the retry that held them back',
    file: 'packages/server/src/webhooks/delivery/order.ts',
    find: 'else if (isRetry) this.#released[at] = { ...known }',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/src/webhooks/delivery/order.test.ts',
        test: 'a page of held-back deliveries that was asked for before a retry ended',
      },
    ],
  },
  {
    name: 'probe-pause-of-an-earlier-outage',
    promise: 'after a success the next outage is probed as soon as the first one was',
    file: 'packages/server/src/webhooks/delivery/circuit-breaker.rules.ts',
    find: 'this.#probeMs = probeMsMin\n    this.#window = Math.min(this.#windowMax',
    replace: 'this.#window = Math.min(this.#windowMax',
    caughtBy: [
      {
        file: 'packages/server/src/webhooks/delivery/circuit-breaker.rules.test.ts',
        test: 'after a success the next outage is probed as soon',
      },
    ],
  },
  {
    name: 'held-back-retry-taken-for-due',
    promise: 'a lane rests while its due retries may not be sent',
    file: 'packages/server/src/webhooks/delivery/lanes.store.ts',
    find: '          and ${isFreeRetrySql(query)}\n',
    replace: '',
    caughtBy: [{ file: 'packages/server/test/relay-blocked-retry.test.ts' }],
  },
  {
    name: 'housekeeping-by-the-wall-clock',
    promise: 'no timer depends on the wall clock',
    file: 'packages/server/src/app/sweep.ts',
    find: 'if (performance.now() < dueAtMs) return false',
    replace: 'if (deps.now() < dueAtMs) return false',
    caughtBy: [{ file: 'packages/server/test/wall-clock.test.ts' }],
  },
]
