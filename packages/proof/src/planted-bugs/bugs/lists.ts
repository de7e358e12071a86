// Lists, searches and filters: what fits is found, and nothing else.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const schema = 'packages/server/src/platform/postgres/migrations/0001_schema.sql'

export const listBugs: readonly PlantedBug[] = [
  {
    name: 'label-not-followed',
    promise: 'a list by a label finds an object whose labels have changed',
    file: schema,
    find: 'update of metadata on end_users\n  for each row when (old.metadata <> new.metadata)',
    replace: 'update of metadata on end_users\n  for each row when (false)',
    caughtBy: [{ file: 'packages/server/test/http/list-end-users.test.ts', test: '200 by one label of the metadata' }],
  },
  {
    name: 'waiting-change-of-everybody',
    promise: 'a list of accounts whose new destination waits has no other account',
    file: 'packages/server/src/virtual-accounts/store.ts',
    find: '${isByChange ? query`v.pending_destination is not null` : query`true`}',
    replace: '${query`true`}',
    caughtBy: [
      {
        file: 'packages/server/test/http/update-virtual-account-delay.test.ts',
        test: '200 a new destination waits, is shown and told',
      },
    ],
  },
  {
    name: 'name-told-later-not-found',
    promise: 'a deposit is found by what a later activity calls the deposit',
    file: schema,
    find: 'when (old.search_terms <> new.search_terms)',
    replace: 'when (false)',
    caughtBy: [
      { file: 'packages/server/test/http/list-deposits.test.ts', test: '200 finds a deposit by each of its ids' },
    ],
  },
  {
    name: 'deliveries-cut-off-by-a-page',
    promise: 'a list of deliveries goes on within the event at which its page ended',
    file: 'packages/server/src/events/deliveries.store.ts',
    find: '(e.place < ${place} or d.id < ${after})',
    replace: 'e.place < ${place}',
    caughtBy: [
      {
        file: 'packages/server/test/http/list-deliveries.test.ts',
        test: '200 several endpoints: the deliveries of one event stand together',
      },
    ],
  },
  {
    name: 'retry-of-what-does-not-fit',
    promise: 'a retry of failed deliveries sends those of its filter and no others',
    file: 'packages/server/src/webhooks/replay/candidates.store.ts',
    find: 'rows.filter((row) => row.isMeant)',
    replace: 'rows',
    caughtBy: [
      {
        file: 'packages/server/test/http/retry-deliveries.test.ts',
        test: '200 by endpoint, type, end-user and time: only what fits',
      },
    ],
  },
  {
    name: 'events-of-another-source',
    promise: 'an endpoint gets the events of its sources alone',
    file: 'packages/server/src/events/fan-out.sql.ts',
    find: '${source}::text = any(e.sources)',
    replace: '${source}::text is not null',
    caughtBy: [
      {
        file: 'packages/server/test/event-sources.test.ts',
        test: 'an endpoint gets the events of its sources alone',
      },
    ],
  },
  {
    name: 'state-beside-the-index',
    promise: 'a list by a state holds the objects in that state alone',
    file: 'packages/server/src/platform/postgres/paging.ts',
    find: 'if (inState) return placesInState',
    replace: 'if (inState?.[0] === null) return placesInState',
    caughtBy: [
      {
        file: 'packages/server/test/http/list-deposits.test.ts',
        test: '200 filters by end-user, account, status and time',
      },
    ],
  },
  {
    name: 'page-from-the-top',
    promise: 'a page in the depth of a list reads no entry before it',
    file: 'packages/server/src/platform/postgres/paging.ts',
    find: 'and ${state} >= ${value} and ${beginning}',
    replace: 'and ${state} >= ${value} and ${state} <= ${value} and ${beginning}',
    caughtBy: [
      {
        file: 'packages/server/test/list-plans.test.ts',
        test: 'a page in the depth of a list by a state reads no entry before it',
      },
    ],
  },
  {
    name: 'page-without-an-end',
    promise: 'a page whose rows were all looked through has a next page',
    file: 'packages/server/src/platform/postgres/paging.ts',
    find: 'return { items: full.items, next: last ?? null }',
    replace: 'return full',
    caughtBy: [
      {
        file: 'packages/server/test/list-plans.test.ts',
        test: 'a page looks through 50,000 rows, and the next one begins behind them',
      },
    ],
  },
  {
    name: 'formula-in-a-cell',
    promise: 'no text in a CSV is run as a formula',
    file: 'packages/server/src/platform/http/csv.ts',
    find: 'escape_formulas: true',
    replace: 'escape_formulas: false',
    caughtBy: [{ file: 'packages/server/src/platform/http/csv.test.ts', test: 'no cell begins as a formula does' }],
  },
  {
    name: 'report-of-a-day-and-a-moment',
    promise: 'a deposit is in the report of one day alone',
    file: 'packages/server/src/deposits/report.store.ts',
    find: 'completed_at < ${to}\n    group by',
    replace: 'completed_at <= ${to}\n    group by',
    caughtBy: [
      {
        file: 'packages/server/test/http/sum-completed-deposits.test.ts',
        test: '200 the sums of the day by currency',
      },
    ],
  },
  {
    name: 'lost-cent-not-told',
    promise: 'the report of a day says which deposit does not add up to the cent',
    file: 'packages/server/src/deposits/report.rules.ts',
    find: '.abs().lt(cent)',
    replace: '.lt(cent)',
    caughtBy: [
      {
        file: 'packages/server/src/deposits/report.rules.test.ts',
        test: 'a net amount that is a cent off is told, whichever way',
      },
    ],
  },
]
