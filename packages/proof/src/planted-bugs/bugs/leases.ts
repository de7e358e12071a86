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
]
