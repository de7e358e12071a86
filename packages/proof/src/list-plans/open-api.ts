// A server on the database, a business with nine tenths of all rows, and a business with the rest.

import type { AuditAction } from '../../../server/src/audit/audit.rules.ts'
import { listAudit } from '../../../server/src/audit/store.ts'
import { createBusiness } from '../../../server/src/businesses/service.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { openDeployment } from '../relay-world/deployment.ts'
import type { ListCase } from './derived-cases.ts'
import type { Businesses } from './rows/ids.ts'

export type Api = AsyncDisposable & {
  db: Database
  businesses: Businesses
  /** @returns the path of the next page, and the duration of this one. @throws Error for any status but 200 */
  read(list: Pick<ListCase, 'caller' | 'path' | 'asCsv'>): Promise<{ link: string | null; ms: number }>
}

export async function openApi(connection: ConnectionOptions): Promise<Api> {
  const stack = new AsyncDisposableStack()
  try {
    const deployment = stack.use(await openDeployment(connection, { RATE_LIMIT_REQUESTS: '1000000' }))
    // Without its loops: they would drop requests that are older than a week.
    const served = stack.use(await deployment.serve({}, {}, ['--only', 'api']))
    // A million rows at a time take longer than any statement of the product may.
    const db = openDatabase(connection, { poolMax: 2, waitMs: 3_600_000 })
    stack.defer(() => db.close())
    const secret = deployment.deps.config.adminSecret
    const open = async (name: string) => {
      const { id } = await createBusiness(deployment.deps, { name })
      const answer = await fetch(`${served.url}/v0/customers/${id}/api-keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'lists' }),
      })
      const { data } = (await answer.json()) as { data: { key: string } }
      return { id, key: data.key }
    }
    const [large, small] = [await open('Large'), await open('Small')]
    const keys = { large: large.key, small: small.key, operator: secret }
    return {
      db,
      businesses: { large: large.id, small: small.id },
      async read({ caller, path, asCsv }) {
        const began = performance.now()
        if (caller === 'shell') {
          await readAudit(db, new URLSearchParams(path))
          return { link: null, ms: performance.now() - began }
        }
        const answer = await fetch(new URL(path, served.url), {
          headers: { authorization: `Bearer ${keys[caller]}`, ...(asCsv && { accept: 'text/csv' }) },
        })
        const text = await answer.text()
        const ms = performance.now() - began
        if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`)
        return { link: /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null, ms }
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** As `causeway audit-log list-all` does. */
async function readAudit(db: Database, options: URLSearchParams): Promise<void> {
  const [customer, type, since] = ['customer', 'type', 'since'].map((name) => options.get(name))
  await db.read((query) =>
    listAudit(query, customer ?? null, {
      limit: 100,
      ...(type && { action: type as AuditAction }),
      ...(since && { since: new Date(since) }),
    }),
  )
}
