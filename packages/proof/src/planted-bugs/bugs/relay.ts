// What one receiver, one crash or one reader of the log may cost everybody else.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const hostile = 'packages/server/src/webhooks/delivery/sender/sender-hostile.test.ts'
const lane = 'packages/server/src/webhooks/delivery/lane.test.ts'
const takeover = 'packages/server/test/relay-takeover.test.ts'
const local = 'packages/server/test/relay-local.test.ts'
const readers = 'packages/server/test/log-reader.test.ts'
const openDeposits = 'packages/server/test/relay-open-deposits.test.ts'

export const relayBugs: readonly PlantedBug[] = [
  {
    name: 'nobody-told-of-a-free-lane',
    promise: 'an event of our own is sent at once also where no replica holds the lane',
    file: 'packages/server/src/events/fan-out.sql.ts',
    find: 'where owner is null or owner is distinct from',
    replace: 'where owner is distinct from',
    caughtBy: [{ file: local, test: 'an event of our own is notified to everybody while nobody holds the lane' }],
  },
  {
    name: 'stored-delivery-under-an-old-configuration',
    promise: 'an event that is stored after a change of its endpoint goes by the new configuration',
    file: 'packages/server/src/webhooks/delivery/loop.ts',
    find: 'lane?.config && lane.config.version !== endpointVersion',
    replace: 'lane?.config && lane.config.version > endpointVersion',
    caughtBy: [{ file: local, test: 'never sent under the old configuration' }],
  },
  {
    name: 'paused-lane-taken-for-empty',
    promise: 'an endpoint that is resumed is sent all it kept, also while its lane is just given back',
    file: 'packages/server/src/webhooks/delivery/lane.ts',
    find: 'return this.#isEnabled ? this.readThrough : this.#triedTo',
    replace: 'return this.readThrough',
    caughtBy: [
      { file: 'packages/server/test/relay-endpoint-races.test.ts', test: 'resumed while its lane is given back' },
    ],
  },
  {
    name: 'answer-about-a-person-in-clear',
    promise: 'what a receiver answers to an event about a person lies sealed, or is not kept',
    file: 'packages/server/src/webhooks/delivery/attempt.ts',
    find: 'isSealed: isSealedBody(stored)',
    replace: 'isSealed: stored.length === 0',
    caughtBy: [
      {
        file: 'packages/server/test/sealed-answers.test.ts',
        test: 'an answer that repeats an event about a person lies sealed',
      },
    ],
  },
  {
    name: 'connections-shared-by-businesses',
    promise: 'a receiver that never answers costs its own business only',
    file: 'packages/server/src/webhooks/delivery/sender/sender.ts',
    find: 'const key = `${businessId} ${origin}`',
    replace: "const key = businessId === '' ? '' : origin",
    caughtBy: [
      { file: 'packages/server/src/webhooks/delivery/sender/sender.test.ts', test: 'are not shared by businesses' },
      { file: 'packages/server/test/relay-silent-origin.test.ts', test: '80 silent endpoints of four businesses' },
    ],
  },
  {
    name: 'interim-answers-without-end',
    promise: 'a receiver that streams interim answers is ended after ten of them',
    file: 'packages/server/src/webhooks/delivery/sender/exchange.ts',
    find: 'this.#interimAnswers > interimAnswersMax || ',
    replace: '',
    caughtBy: [
      {
        file: hostile,
        test: 'are a failure with a reason of its own, and the connection is dropped',
      },
    ],
  },
  {
    name: 'continuation-is-a-failure',
    promise: 'the answer after an unasked-for 100 Continue counts',
    file: 'packages/server/src/webhooks/delivery/sender/guarded-connect.ts',
    find: 'callback(null, acceptContinue(socket))',
    replace: 'callback(null, acceptContinue === undefined ? null : socket)',
    caughtBy: [
      {
        file: hostile,
        test: 'the answer after them counts, at each request of a connection',
      },
    ],
  },
  {
    name: 'lanes-of-the-dead-waited-for',
    promise: 'on the embedded database a start takes over at once what a dead process held',
    file: 'packages/server/src/main.ts',
    find: 'if (store.isOurs) await store.db.statement(takeLanesFromDead)',
    replace: 'if (!store.isOurs) await store.db.statement(takeLanesFromDead)',
    caughtBy: [{ file: 'packages/server/test/relay-after-crash.test.ts', test: 'kill -9 on the embedded database' }],
  },
  {
    name: 'stored-delivery-behind-a-gap',
    promise: 'a delivery that was just stored goes to its lane directly only where nothing lies before it unread',
    file: 'packages/server/src/webhooks/delivery/lane.ts',
    find: 'row.sequence === this.readThrough + 1',
    replace: 'row.sequence > this.readThrough',
    caughtBy: [
      { file: lane, test: 'each delivery is in hand once, order holds' },
      { file: lane, test: 'a delivery that was just stored is sent without a reading' },
    ],
  },
  {
    name: 'stored-delivery-overtakes',
    promise: 'a delivery that was just stored waits behind a failed one of its end-user',
    file: 'packages/server/src/webhooks/delivery/lane.ts',
    find: '(row.isOrdered && this.#order.mayHoldBack(row))',
    replace: 'false',
    caughtBy: [{ file: lane, test: 'each delivery is in hand once, order holds' }],
  },
  {
    name: 'page-of-an-earlier-start',
    promise: 'a delivery whose outcome is in doubt is not sent again by a page that was read before',
    file: 'packages/server/src/webhooks/delivery/lane.ts',
    find: 'if (request.start !== this.#starts) return',
    replace: 'if (request.after > this.readThrough) return',
    caughtBy: [
      { file: lane, test: 'a page that was read before an outcome was in doubt does not bring the delivery back' },
    ],
  },
  {
    name: 'send-outlasts-the-lease',
    promise: 'what is sent under a lease is over before another replica may take the lane',
    file: 'packages/server/src/webhooks/delivery/lease.ts',
    find: 'setTimeout(this.#onEnd, ',
    replace: 'setTimeout(() => {}, ',
    caughtBy: [{ file: takeover, test: 'a send that runs when the lease ends unrenewed is ended with it' }],
  },
  {
    name: 'lanes-of-a-dead-neighbour-waited-for',
    promise: 'a replica that is started again on its host waits for no lease of its predecessor',
    file: 'packages/server/src/app/host-replicas.ts',
    find: 'endLeases(query, host.dead)',
    replace: 'endLeases(query, host.dead.slice(1))',
    caughtBy: [{ file: takeover, test: 'a replica that is started again on its host takes its lanes back at once' }],
  },
  {
    name: 'lost-log-lines-not-counted',
    promise: 'lines of the log that nobody reads are counted',
    file: 'packages/server/src/platform/observe/log.ts',
    find: '(error) => error && countLost(lines)',
    replace: '() => {}',
    caughtBy: [{ file: readers, test: 'a log whose reader was killed stops nothing' }],
  },
  {
    name: 'database-left-by-a-fault',
    promise: 'a process that ends by a fault of its own leaves no database running',
    file: 'packages/embedded-postgres/src/embedded.ts',
    find: "process.once('exit', stopAtExit)",
    replace: '',
    caughtBy: [
      {
        file: readers,
        test: 'a process that ends by a fault of its own leaves no database running',
      },
    ],
  },
  {
    name: 'database-given-up-on-a-full-disk',
    promise: 'an embedded database that cannot start for a while is started once it can, without a person',
    file: 'packages/embedded-postgres/src/embedded.ts',
    find: 'while (!ending.signal.aborted) {',
    replace: 'while (!ending.signal.aborted && failures < 5) {',
    caughtBy: [
      {
        file: 'packages/embedded-postgres/test/embedded.test.ts',
        test: 'a server that cannot start for a while, as on a full disk',
      },
    ],
  },
  {
    name: 'narrow-endpoint-left-narrow',
    promise: 'connecting widens an endpoint of ours to all categories of events that we need',
    file: 'packages/server/src/provider/connection/connection.ts',
    find: 'if (missing.length > 0) await add(missing)',
    replace: 'if (missing.length > 9) await add(missing)',
    caughtBy: [
      {
        file: 'packages/server/test/provider-connection.test.ts',
        test: 'an endpoint that does not get all that we need is widened',
      },
    ],
  },
  {
    name: 'resolver-told-to-a-business',
    promise: 'a business cannot ask our resolver which internal names exist',
    file: 'packages/server/src/webhooks/delivery/sender/send-failure.ts',
    find: 'detail: noPublicAddress,',
    replace: "detail: error instanceof LookupFailed ? 'Unknown.' : noPublicAddress,",
    caughtBy: [{ file: hostile, test: 'a name that leads inside and one that leads nowhere are told alike' }],
  },
  {
    name: 'open-deposits-wait-for-the-daily-walk',
    promise: 'a lost completion is found without its event, the record and the history of all accounts',
    file: 'packages/server/src/reconcile/jobs.ts',
    find: 'turn: () => rereadOpenDeposits(deps),',
    replace: 'turn: async () => rereadOpenDeposits.length > 1,',
    caughtBy: [{ file: openDeposits, test: 'a lost completion is found' }],
  },
  {
    name: 'failed-refund-read-for-ever',
    promise: 'a deposit to which nothing more happens is not read again',
    file: 'packages/server/src/deposits/store.ts',
    find: " and (status <> 'failed' or updated_at > now() - interval '7 days')",
    replace: '',
    caughtBy: [{ file: openDeposits, test: 'where no deposit is open, or a refund failed a week ago' }],
  },
]
