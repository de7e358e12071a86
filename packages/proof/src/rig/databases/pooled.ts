// PgBouncer in front of Debian's PostgreSQL, as the database of a world.

import type { DatabasePlan, Killable } from './database.ts'
import { debianPostgres } from './debian-plan.ts'
import { type PoolMode, startPooler } from './pooler.ts'
import { connectionOf } from './session.ts'

/** `servers`: connections of the pooler to PostgreSQL. */
export function pgbouncer({ mode, servers }: { mode: PoolMode; servers: number }): DatabasePlan<Killable> {
  const direct = debianPostgres()
  return {
    needs: [...direct.needs, ['pgbouncer', 'pgbouncer']],
    async open(stack) {
      const database = await direct.open(stack)
      const pooler = stack.use(await startPooler(connectionOf(database.url), { mode, serversMax: servers }))
      const url = pooler.urlOf()
      return mode === 'session' ? { ...database, url } : { ...database, url, directUrl: database.url }
    },
  }
}
