// Where DATABASE_URL and DATABASE_DIRECT_URL lead: what cannot work is found at the start, not by the first lost notification.

import { type Config, ConfigError } from '../../config.ts'
import type { Database, Pooling } from '../database.ts'
import { readIdentity } from './pooling.ts'

const problems = {
  transaction:
    'DATABASE_URL connects to a pooler in transaction mode, which loses notifications and settings: set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, or use session mode',
  statement: 'DATABASE_URL connects to a pooler in statement mode, which has no transactions: use transaction mode',
  notDirect:
    'DATABASE_DIRECT_URL connects to a pooler, which loses notifications: it must connect to PostgreSQL itself',
  elsewhere:
    'DATABASE_URL and DATABASE_DIRECT_URL connect to different databases: both must connect to the same database',
} as const

/** Whether each transaction may have another server process. */
const isShared = (pooling: Pooling): boolean => pooling === 'transaction' || pooling === 'statement'

/** @returns what is wrong with the addresses; null when they can be used */
export async function addressProblem(pooling: Pooling, db: Database, direct: Database | null): Promise<string | null> {
  if (pooling === 'statement') return problems.statement
  if (direct === null) return pooling === 'transaction' ? problems.transaction : null
  if (isShared(await direct.pooling())) return problems.notDirect
  const [identity, other] = await Promise.all([db.read(readIdentity), direct.read(readIdentity)])
  return identity === other ? null : problems.elsewhere
}

/** @throws ConfigError when the service cannot work by these addresses */
export async function requireAddresses(config: Config, db: Database, direct: Database | null): Promise<void> {
  if (config.databaseUrl === undefined) return
  const problem = await addressProblem(await db.pooling(), db, direct)
  if (problem !== null) throw new ConfigError([problem])
}
