// The same database, with each use of it measured. What waits for a connection shows as calls under way beyond those there are.

import { databaseConnectionsMax, databaseDuration, databaseUnderWay } from '../observe/metrics.ts'
import type { BusinessDatabase, Database } from './db.ts'

export function measured(db: Database, poolMax: number): Database {
  databaseConnectionsMax.set(poolMax)
  const during = async <T>(kind: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    databaseUnderWay.inc({ kind })
    try {
      return await work()
    } finally {
      databaseUnderWay.dec({ kind })
      databaseDuration.observe({ kind }, (performance.now() - startedAt) / 1000)
    }
  }
  const measuredView = ({ read, transaction }: BusinessDatabase): BusinessDatabase => ({
    read: (work) => during('read', () => read(work)),
    transaction: (work) => during('transaction', () => transaction(work)),
  })
  return {
    ...db,
    ...measuredView(db),
    of: (businessId) => measuredView(db.of(businessId)),
    statement: (work) => during('statement', () => db.statement(work)),
    byIndex: (work) => during('by_index', () => db.byIndex(work)),
  }
}
