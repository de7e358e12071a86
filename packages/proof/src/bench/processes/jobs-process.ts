// graphile-worker as the yardstick for taking and finishing work, tuned as its documentation advises: jobs fetched in
// batches into a local queue, completed in batches, prepared statements.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import type { ConnectionOptions } from '../../../../server/src/platform/postgres/client.ts'
import { openDatabase } from '../../../../server/src/platform/postgres/db.ts'
import { answerCalls } from './remote.ts'

const task = 'nothing'
const concurrentJobs = 24
const drainMsMax = 120_000

const calls = {
  /** Installs its schema. */
  async install(connection: ConnectionOptions): Promise<void> {
    const utils = await makeWorkerUtils({ connectionString: addressOf(connection), logger: silent })
    await utils.migrate()
    await utils.release()
  },

  async add({ connection, count }: { connection: ConnectionOptions; count: number }): Promise<void> {
    const db = openDatabase(connection, { poolMax: 1 })
    await db.statement(
      (query) => query`
        select count(*) from graphile_worker.add_jobs(array(
          select json_populate_record(null::graphile_worker.job_spec,
            json_build_object('identifier', ${task}::text, 'payload', json_build_object('n', n)))
          from generate_series(1, ${count}::int) n))`,
    )
    await db.close()
  },

  /** From its start until no job is left. @returns milliseconds */
  async drain(connection: ConnectionOptions): Promise<number> {
    const db = openDatabase(connection, { poolMax: 2 })
    await Promise.all([db.ping(), db.ping()])
    const startMs = performance.now()
    const runner = await run({
      preset: {
        worker: {
          connectionString: addressOf(connection),
          concurrentJobs,
          maxPoolSize: concurrentJobs + 1,
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
          logger: silent,
        },
      },
      taskList: { [task]: () => {} },
      noHandleSignals: true,
    })
    while (await hasJobs(db)) {
      if (performance.now() - startMs > drainMsMax) throw new Error('the jobs were not done in time')
      await delay(10)
    }
    const ms = performance.now() - startMs
    await runner.stop()
    await db.close()
    return ms
  },
}
export type JobsCalls = typeof calls

const silent = new Logger(() => () => {})

async function hasJobs(db: ReturnType<typeof openDatabase>): Promise<boolean> {
  const rows = await db.read((query) => query`select 1 from graphile_worker._private_jobs order by id desc limit 1`)
  return rows.length > 0
}

function addressOf({ host, port, username, password, database }: ConnectionOptions): string {
  return `postgres://${username}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

answerCalls(calls)
