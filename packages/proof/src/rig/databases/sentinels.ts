// A Redis as Sentinel keeps it, from the helpers of the server's tests.

import { startSentinels } from '../../../../server/test/redis-sentinels.ts'

export type Sentinels = Awaited<ReturnType<typeof startSentinels>>

export const openSentinels = (): Promise<Sentinels> => startSentinels()
