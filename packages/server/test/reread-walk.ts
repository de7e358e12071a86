// When the walk that reads everything again at the provider has come to its end.

import type { Query } from '../src/platform/postgres/query.ts'
import { until } from './test-world.ts'

type Rows = (work: (query: Query) => Promise<{ endedAt: Date | null }[]>) => Promise<{ endedAt: Date | null }[]>

/** Without `since` the walk of the first start, which begins a second after it. */
export async function walkEnded(rows: Rows, since = new Date(0)): Promise<void> {
  await until('the end of the walk', async () => {
    const [walk] = await rows((query) => query<{ endedAt: Date | null }[]>`select ended_at from reread_walk`)
    return (walk?.endedAt ?? since) > since
  })
}
