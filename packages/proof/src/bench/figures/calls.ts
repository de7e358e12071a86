// P6: what the API adds to a statement: a read of one row, a page of 20 rows and a write, against the same statement by `pg`
// in a bare `node:http` server. API keys, rate limits, row security and the access log are on.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { issueApiKey } from '../../../../server/src/businesses/api-keys.ts'
import { createDeps } from '../../../../server/src/main.ts'
import { createLog } from '../../../../server/src/platform/observe/log.ts'
import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { makeId } from '../../../../server/src/platform/values/ids.ts'
import { type Bench, perSecond } from '../bench.ts'
import { getRequest, postRequest } from '../events.ts'
import { loadAtFull } from '../load-client.ts'
import type { BareCalls, Statement } from '../processes/bare-process.ts'
import type { ServerCalls } from '../processes/server-process.ts'
import { productConfig, seedTenants, type Tenant } from '../product.ts'
import { type Measured, Rounds } from '../ratio.ts'

const connectionCount = 64
/** Both members of a pair take turns within it, because the load of the machine changes within a second. */
export const turnsOfRound = 5
const accountCount = 50

type Call = { name: string; paths: readonly string[]; method: 'GET' | 'PATCH'; statement: Statement }

export async function measureCalls(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using database = await bench.databases.create('calls')
  const { db, connection } = database
  const [tenant] = await seedTenants(db, ['http://127.0.0.1:9/0'])
  assert.ok(tenant)
  const authorization = `Bearer ${await issueKey(db, tenant)}`
  const calls = callsOf(tenant, await openAccounts(db, tenant), await endUsersOf(db, tenant))
  const rounds = new Rounds()
  // New processes for each round: two processes of the same code differ by a tenth for as long as they live.
  for (let round = 0; round < scale.pairs; round++) {
    await using server = bench.start<ServerCalls>('./server-process.ts')
    await using bare = bench.start<BareCalls>('./bare-process.ts')
    const product = await server.call('serveIntake', { connection, publicKey: null })
    const yardstick = await bare.call('serve', {
      connection,
      statements: Object.fromEntries(calls.map(({ name, statement }) => [`/${name}`, statement])),
    })
    for (const call of calls) {
      const members = [
        { name: call.name, requests: productRequests(product, call, authorization) },
        { name: `${call.name} bare`, requests: [getRequest(new URL(`/${call.name}`, yardstick), {})] },
      ]
      await callInTurns(members, 1, scale.calls) // all code is compiled afterwards
      const speeds = await callInTurns(members, turnsOfRound, scale.calls)
      for (const [at, { name }] of members.entries()) rounds.note(name, speeds[at] ?? Number.NaN)
    }
  }
  return {
    ratios: calls.map(({ name }) => ({
      id: 'P6',
      part: name,
      what: `authenticated ${name} / the same statement by pg in bare node:http`,
      goal: { atLeast: 0.6 },
      figures: rounds.quotient(name, `${name} bare`),
    })),
    speeds: calls.flatMap(({ name }) =>
      [name, `${name} bare`].map((what) => ({ what, unit: '/s' as const, figures: rounds.of(what) })),
    ),
  }
}

function callsOf({ businessId }: Tenant, accountIds: readonly string[], externalUserIds: readonly string[]): Call[] {
  const accounts = `select v.*, u.external_user_id, u.provider_customer_id
    from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id where v.business_id = $1`
  const each = (ids: readonly string[]) => ids.map((id) => [businessId, id])
  return [
    {
      name: 'row',
      paths: accountIds.map((id) => `/v0/virtual-accounts/${id}`),
      method: 'GET',
      statement: { text: `${accounts} and v.id = $2`, values: each(accountIds) },
    },
    {
      name: 'page',
      paths: ['/v0/virtual-accounts?limit=20'],
      method: 'GET',
      statement: { text: `${accounts} order by v.id desc limit 21`, values: [[businessId]] },
    },
    {
      name: 'write',
      paths: externalUserIds.map((id) => `/v0/end-users/${id}`),
      method: 'PATCH',
      statement: {
        text: `update end_users set updated_at = now(), metadata = '{"plan":"pro"}'
          where business_id = $1 and external_user_id = $2 returning *`,
        values: each(externalUserIds),
      },
    },
  ]
}

function productRequests(base: string, { paths, method }: Call, authorization: string): Buffer[] {
  const body = Buffer.from('{"metadata":{"plan":"pro"}}')
  return paths.map((path) => {
    const url = new URL(path, base)
    return method === 'GET' ? getRequest(url, { authorization }) : postRequest(url, body, { authorization }, method)
  })
}

type Member = { name: string; requests: readonly Buffer[] }

/** @returns calls per second of each member */
export async function callInTurns(members: readonly Member[], turns: number, count: number): Promise<number[]> {
  const spentMs = members.map(() => 0)
  const perTurn = Math.ceil(count / turns)
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, { name, requests }] of members.entries()) {
      const [first] = requests
      assert.ok(first)
      const host = /^host: (.*)$/m.exec(first.toString('latin1'))?.[1]?.trim()
      const all = Array.from({ length: perTurn }, (_, n) => requests[n % requests.length] ?? first)
      const load = await loadAtFull(new URL(`http://${host}`), all, connectionCount)
      assert.ok(
        load.statuses.every((status) => status === 200),
        `a call of ${name} was refused`,
      )
      spentMs[at] = (spentMs[at] ?? 0) + load.ms
    }
  }
  return members.map((_, at) => perSecond(perTurn * turns, spentMs[at] ?? 0))
}

async function issueKey(db: Database, { businessId }: Tenant): Promise<string> {
  const deps = createDeps(productConfig({ publicKey: null }), createLog('silent'), db)
  const { key } = await issueApiKey(deps, businessId, { name: 'Measured' })
  await deps.provider.close()
  return key
}

async function endUsersOf(db: Database, { businessId }: Tenant): Promise<string[]> {
  const rows = await db.read(
    (query) => query<{ externalUserId: string }[]>`
      select external_user_id from end_users where business_id = ${businessId}`,
  )
  return rows.map(({ externalUserId }) => externalUserId)
}

export async function openAccounts(db: Database, { businessId }: Pick<Tenant, 'businessId'>): Promise<string[]> {
  const ids = Array.from({ length: accountCount }, () => makeId('virtualAccount', randomBytes(16)))
  await db.statement(
    (query) => query`
      insert into virtual_accounts (business_id, id, end_user_id, provider, source_currency, destination_payment_rail,
        destination_currency, destination_address, developer_fee_percent, waiting_for_kyc, status)
      select business_id, account_id, id, 'bridge', 'usd', 'solana', 'usdc', '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE', '0',
        false, 'active'
      from unnest(${ids}::text[]) with ordinality as a (account_id, n)
        join (select *, row_number() over (order by id) as n from end_users where business_id = ${businessId}) u using (n)`,
  )
  return ids
}
