// The way to PostgreSQL: what somebody else's lock, a standby or a pooler between us and the database must not do.

import type { PlantedBug } from '../planted-bug.ts'

const readiness = 'packages/server/test/readiness.test.ts'
const hosts = 'packages/server/test/database-hosts.test.ts'
const pooled = 'packages/server/test/database-pooled.test.ts'
const locks = 'packages/server/test/database-locks.test.ts'

export const databaseBugs: readonly PlantedBug[] = [
  {
    name: 'waiting-for-a-lock-without-an-end',
    promise: 'what meets the lock of somebody else is refused in bounded time, and its connection is free',
    file: 'packages/server/src/platform/postgres/waiting/time-limits.ts',
    find: '  lockMs: Math.min(lockMsMax, 0.3 * waitMs),\n  statementMs: waitMs,',
    replace: '  lockMs: 0,\n  statementMs: 0,',
    caughtBy: [{ file: locks, test: 'a statement that meets a lock gives its connection back' }],
  },
  {
    name: 'writes-that-take-every-connection',
    promise: 'reads go on beside writes that wait for a lock',
    file: 'packages/server/src/platform/postgres/connecting/pools.ts',
    find: 'transactionsMax: Math.ceil((generalMax * 2) / 3),',
    replace: 'transactionsMax: generalMax,',
    caughtBy: [{ file: locks, test: 'more writes than connections that meet a lock are all refused in time' }],
  },
  {
    name: 'ready-while-no-write-is-committed',
    promise: 'a process whose writes have hung for ten seconds is not ready',
    file: 'packages/server/src/platform/postgres/waiting/readiness.ts',
    find: 'return isFailing || this.#outcomes.areRefused(atMs)',
    replace: 'return this.#outcomes.areRefused(atMs)',
    caughtBy: [{ file: readiness, test: 'commits that hang make it not ready after ten seconds and not before' }],
  },
  {
    name: 'a-read-only-connection-used-again',
    promise: 'after a failover no connection to the old primary is used again',
    file: 'packages/server/src/platform/postgres/session.ts',
    find: 'if (isReadOnly(error)) this.#isLost = true',
    replace: '',
    caughtBy: [{ file: hosts, test: 'every kind of connection goes to the host that takes writes' }],
  },
  {
    name: 'a-standby-taken-for-the-primary',
    promise: 'of several hosts only one that takes writes is connected to',
    file: 'packages/server/src/platform/postgres/connecting/hosts.ts',
    find: "if (!isFit) throw new UnfitServerError('the server takes no writes')",
    replace: '',
    caughtBy: [{ file: hosts, test: 'where no host takes writes, that is told' }],
  },
  {
    name: 'migration-ended-by-a-deadlock',
    promise: 'a migration that the traffic deadlocks with is tried again',
    file: 'packages/server/src/platform/postgres/migrate.ts',
    find: "if (error instanceof DatabaseError && error.code === '40P01') return null",
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/migrations.test.ts',
        test: 'a migration that the traffic deadlocks with is tried again until it is through',
      },
    ],
  },
  {
    name: 'settings-left-with-a-pooled-connection',
    promise: 'behind a pooler the settings end with their transaction',
    file: 'packages/server/src/platform/postgres/session.ts',
    find: "settingSql('set local', { ...this.#use.pooled, ...local })",
    replace: "settingSql('set', { ...this.#use.pooled, ...local })",
    caughtBy: [{ file: pooled, test: 'nothing stays with the connection: no setting' }],
  },
  {
    name: 'statements-prepared-behind-a-pooler',
    promise: 'behind a pooler no statement has a name',
    file: 'packages/server/src/platform/postgres/session.ts',
    find: 'const isNamed = isFixed && this.#use.pooled === undefined',
    replace: 'const isNamed = isFixed',
    caughtBy: [{ file: pooled, test: 'nothing stays with the connection: no setting' }],
  },
  {
    name: 'connection-ended-at-its-start-is-a-fault',
    promise: 'a connection that PostgreSQL ends as it begins, as on a full disk, is told as 503',
    file: 'packages/server/src/platform/postgres/db.ts',
    find: 'unavailablePattern.test(code) || endsConnection(error)',
    replace: 'unavailablePattern.test(code)',
    caughtBy: [
      { file: 'packages/server/test/database-outage.test.ts', test: 'that PostgreSQL ends as it begins counts as' },
    ],
  },
  {
    name: 'rows-of-another-provider-taken-over',
    promise: 'no server works on the rows of another provider: its customers are unknown to the configured provider',
    file: 'packages/server/src/main.ts',
    find: '  await requireProvider(deps)\n',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/provider-kind.test.ts',
        test: 'of two first starts with different providers, one claims the database',
      },
    ],
  },
]
