// A dump that was taken under load, restored into another cluster under another login: everything is there, the wall between
// businesses is there, and a server starts on it and works.

import { restoredDump } from '../../rig/databases/backups.ts'
import type { Dump } from '../../rig/databases/database.ts'
import { openWorld } from '../../rig/deployment/open-world.ts'
import type { Settings } from '../../rig/world.ts'
import { answerOf } from './operator.ts'

/** Tables in which nothing before the snapshot changes afterwards. */
export const counted = ['businesses', 'webhook_endpoints', 'audit_log', 'end_users', 'virtual_accounts', 'operations']
const answerMsMax = 20_000

export async function proveDump(taken: Dump, businessId: string, settings: Settings, stack: AsyncDisposableStack) {
  // No server of this copy may act next to the other deployment: nobody responds at the address of its provider.
  const world = await openWorld(
    {
      database: restoredDump(taken),
      replicas: 0,
      provider: 'silent',
      businesses: [],
      settings: { ...settings, PROVIDER_KIND: 'sandbox' },
      argsOf: () => ['--only', 'api'],
    },
    stack,
  )
  const { database } = world
  answerOf(await world.operator('after-restore'))
  await world.addReplica()
  const { key } = answerOf(await world.operator('customers', 'issue-api-key', businessId)) as { key: string }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ externalUserId: 'after-the-dump' })
  const calls = [
    { method: 'POST', path: '/v0/end-users', headers, body },
    { method: 'GET', path: '/v0/end-users/after-the-dump', headers },
    { method: 'GET', path: '/v0/events?limit=5', headers },
    { method: 'GET', path: '/v0/audit-log?limit=5', headers },
  ]
  let served = 0
  for (const call of calls) if ((await world.send(call, answerMsMax)).status === 200) served += 1
  const differing: string[] = []
  for (const table of counted) {
    const [row] = await database.ask<{ count: number }>(`select count(*)::int as count from ${table}`)
    if (differs(table, taken.rows[table] ?? -1, row?.count ?? -1)) differing.push(table)
  }
  // The owner of the tables is behind the wall as well: PostgreSQL refuses an incomplete dump instead of writing it.
  const isRefused = await database.dump().then(
    () => false,
    (error: Error) => error.message.includes('row-level security'),
  )
  await database.dump('--enable-row-security')
  const faults = [
    ...differing.map((table) => `the dump has other rows of ${table}`),
    ...(served < calls.length ? [`${served} of ${calls.length} requests were served from the dump`] : []),
    ...(isRefused ? [] : ['PostgreSQL did not refuse a dump by the owner without row security']),
  ]
  return {
    figures: { dumpRowsDiffering: differing.length, dumpRequestsServed: served, dumpRefusedToOwner: isRefused },
    faults,
  }
}

/** The commands, the new key and the request that was served added to these. */
function differs(table: string, before: number, now: number): boolean {
  if (table === 'audit_log') return now <= before
  return now !== before + (table === 'end_users' ? 1 : 0)
}
