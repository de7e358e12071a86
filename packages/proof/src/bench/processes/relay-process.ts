// Sending in a separate process: the product's send loop on a backlog, and undici alone as the yardstick.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { createDeps } from '../../../../server/src/main.ts'
import { createSender, type Sender } from '../../../../server/src/platform/guarded-http/sender.ts'
import { createLog } from '../../../../server/src/platform/observe/log.ts'
import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { openDatabase } from '../../../../server/src/platform/postgres/db.ts'
import { SendLoop } from '../../../../server/src/webhooks/delivery/loop.ts'
import { productConfig, type Target } from '../product.ts'
import { answerCalls } from './remote.ts'

const connectionCount = 64
type Sends = { url: string; body: Buffer; count: number }

/** The receiver that costs nothing, for the work around a send alone. */
const instantSender: Sender = {
  send: async () => ({
    kind: 'response',
    status: 200,
    responseBody: '',
    responseHeaders: null,
    retryAfterMs: null,
    isGone: false,
    stopsRetries: false,
    durationMs: 0,
  }),
  abort: () => {},
  close: async () => {},
}

const calls = {
  /** The send loop, from its start until the last outcome is written. @returns milliseconds */
  async drain({ target, isInstant }: { target: Target; isInstant: boolean }): Promise<number> {
    const config = productConfig(target)
    const db = openDatabase(target.connection, { poolMax: config.databasePoolMax })
    const deps = createDeps(config, createLog(config.logLevel), db)
    // The pool's first connections are made before the clock starts, as they are in a service that runs.
    await Promise.all(Array.from({ length: 8 }, () => db.ping()))
    const sender = isInstant ? instantSender : createSender({ allowLoopback: true, timeoutMs: config.webhookTimeoutMs })
    const startMs = performance.now()
    const loop = new SendLoop(deps, sender)
    await untilNothingWaits(db)
    const ms = performance.now() - startMs
    await loop.stop()
    await loop.drain(1_000)
    await deps.provider.close()
    await db.close()
    return ms
  },

  /** undici with nothing around it. @returns milliseconds */
  async sendRaw({ url, body, count }: Sends): Promise<number> {
    const { origin, pathname } = new URL(url)
    const pool = new Pool(origin, { connections: connectionCount, pipelining: 1 })
    const headers = { 'content-type': 'application/json' }
    const ms = await atOnce(count, async () => {
      const response = await pool.request({ method: 'POST', path: pathname, headers, body })
      await response.body.dump()
      if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`)
    })
    await pool.close()
    return ms
  },

  cpuMs: async (): Promise<number> => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
}
export type RelayCalls = typeof calls

/** Does it `count` times, as many at once as there are connections. @returns milliseconds */
async function atOnce(count: number, send: () => Promise<void>): Promise<number> {
  let next = 0
  const startMs = performance.now()
  await Promise.all(
    Array.from({ length: connectionCount }, async () => {
      while (next++ < count) await send()
    }),
  )
  return performance.now() - startMs
}

const looksMsMax = 120_000

async function untilNothingWaits(db: Database): Promise<void> {
  const deadlineMs = performance.now() + looksMsMax
  for (;;) {
    // By the lanes' counters, not by the table: reading past its just deleted rows costs more than the work.
    const [row] = await db.read(
      (query) => query<{ isDone: boolean }[]>`
        select not exists (select 1 from endpoint_lanes l cross join lateral (
          select 1 from deliveries d where d.endpoint_id = l.endpoint_id order by d.sequence desc limit 1) last) as is_done`,
    )
    if (row?.isDone) return
    if (performance.now() > deadlineMs) throw new Error('the backlog was not drained in time')
    await delay(10)
  }
}

answerCalls(calls)
