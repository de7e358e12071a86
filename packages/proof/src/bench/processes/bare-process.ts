// The yardstick of a call: only `node:http` and `pg`, in a separate process. A request runs the statement of its path and gets
// its rows as JSON.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { ConnectionOptions } from '../../../../server/src/platform/postgres/client.ts'
import { answerCalls } from './remote.ts'

/** A statement, and the values of which each request takes the next. */
export type Statement = { text: string; values: readonly string[][] }

/** As many as `DATABASE_POOL_MAX` gives the product. */
const poolMax = 20

let server: Server | undefined
let pool: pg.Pool | undefined

const calls = {
  /** @returns where it listens */
  async serve(target: { connection: ConnectionOptions; statements: Record<string, Statement> }): Promise<string> {
    const { username: user, ...options } = target.connection
    const open = new pg.Pool({ ...options, user, max: poolMax })
    pool = open
    let turn = 0
    server = createServer(async (request, response) => {
      const path = request.url ?? ''
      const { text, values } = target.statements[path] ?? { text: 'select 1', values: [[]] }
      const { rows } = await open.query({ name: path, text, values: values[turn++ % values.length] ?? [] })
      const body = Buffer.from(JSON.stringify({ data: rows }))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // a TCP server's address is never a path
    return `http://127.0.0.1:${port}`
  },
}
export type BareCalls = typeof calls

answerCalls(calls, async () => {
  server?.close()
  await pool?.end()
})
