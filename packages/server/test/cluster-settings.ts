// Settings of a whole PostgreSQL cluster. A reload is a signal: connections that are opened right after it may still have the
// former setting.

import { type ConnectionOptions, openClient } from '../src/platform/postgres/client.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { until } from './until.ts'

/** Changes settings. Connections that are opened afterwards have them. @param admin a superuser of the cluster */
export async function changeCluster(
  admin: Pick<Query, 'unsafe'>,
  connection: ConnectionOptions,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await admin.unsafe(`alter system set ${name} = '${value}'`)
  await admin.unsafe('select pg_reload_conf()')
  await until('a new connection with the settings', async () => {
    const { query, close } = await openClient(connection, { applicationName: 'test' })
    try {
      for (const [name, value] of Object.entries(settings)) {
        const [row] = await query<{ is: string }[]>`select current_setting(${name}) as is`
        if (row?.is !== value) return false
      }
      return true
    } finally {
      await close()
    }
  })
}
