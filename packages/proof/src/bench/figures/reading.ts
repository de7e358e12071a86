// R7: what a read costs that has to prove who is asking, against `node:http` that answers with the same bytes. Rate limits
// are counted, keys can be revoked, row security is on.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { issueApiKey } from '../../../../server/src/businesses/api-keys.ts'
import { createDeps } from '../../../../server/src/main.ts'
import { createLog } from '../../../../server/src/platform/observe/log.ts'
import type { Database } from '../../../../server/src/platform/postgres/db.ts'
import { makeId } from '../../../../server/src/platform/values/ids.ts'
import { type Bench, perSecond } from '../bench.ts'
import { getRequest } from '../events.ts'
import { loadAtFull } from '../load-client.ts'
import type { BareCalls } from '../processes/bare-process.ts'
import type { ServerCalls } from '../processes/server-process.ts'
import { productConfig, seedTenants, type Tenant } from '../product.ts'
import { type Measured, Rounds } from '../ratio.ts'

const connectionCount = 64
/** The members of a pair take turns within it: a neighbour on the machine comes and goes within a second. */
const partsOfRound = 10
/** By then all of it is compiled. */
const partsToWarmUp = 5

export async function measureReading(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using database = await bench.databases.create('reading')
  const { db, connection } = database
  const [tenant] = await seedTenants(db, ['http://127.0.0.1:9/0'])
  assert.ok(tenant)
  const authorization = `Bearer ${await issueKey(db, tenant)}`
  const accountPath = `/v0/virtual-accounts/${await openAccount(db, tenant)}`
  const rounds = new Rounds()
  // Each pair in processes of its own: two of the same code differ by a tenth for as long as they live.
  for (let round = 0; round < scale.pairs; round++) {
    await using server = bench.start<ServerCalls>('./server-process.ts')
    await using bare = bench.start<BareCalls>('./bare-process.ts')
    const base = await server.call('serveIntake', { connection, publicKey: null })
    const bareBase = await bare.call('serve', await textOf(new URL('/v0/whoami', base), authorization))
    const reads = Math.ceil(scale.reads / partsOfRound)
    const members = [
      { name: 'whoami', url: new URL('/v0/whoami', base), count: reads },
      { name: 'bare', url: new URL('/v0/whoami', bareBase), count: reads },
      { name: 'account', url: new URL(accountPath, base), count: Math.ceil(reads / 4) },
    ]
    await readInTurns(members, partsToWarmUp, authorization)
    const speeds = await readInTurns(members, partsOfRound, authorization)
    for (const [at, { name }] of members.entries()) rounds.note(name, speeds[at] ?? Number.NaN)
  }
  const ratio = (name: string, part: string | null, what: string, atLeast: number | null) => ({
    id: 'R7',
    part,
    what: `${what} / bare node:http with the same answer`,
    goal: { atLeast },
    figures: rounds.quotient(name, 'bare'),
  })
  return {
    ratios: [
      ratio('whoami', null, 'authenticated read, rate limits counted', 0.65),
      ratio('account', 'account', 'authenticated read of a row behind row security', null),
    ],
    speeds: [
      { what: 'authenticated reads', unit: '/s', figures: rounds.of('whoami') },
      { what: 'authenticated reads of a row', unit: '/s', figures: rounds.of('account') },
      { what: 'reads of bare node:http', unit: '/s', figures: rounds.of('bare') },
    ],
  }
}

type Member = { name: string; url: URL; count: number }

/** @returns of each member, how many reads a second it answered */
async function readInTurns(members: readonly Member[], parts: number, authorization: string): Promise<number[]> {
  const spentMs = members.map(() => 0)
  for (let part = 0; part < parts; part++) {
    for (const [at, { name, url, count }] of members.entries()) {
      const requests = Array<Buffer>(count).fill(getRequest(url, { authorization }))
      const load = await loadAtFull(url, requests, connectionCount)
      assert.ok(
        load.statuses.every((status) => status === 200),
        `a read of ${name} was refused`,
      )
      spentMs[at] = (spentMs[at] ?? 0) + load.ms
    }
  }
  return members.map(({ count }, at) => perSecond(count * parts, spentMs[at] ?? 0))
}

async function textOf(url: URL, authorization: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization } })
  assert.equal(response.status, 200)
  return await response.text()
}

async function issueKey(db: Database, { businessId }: Tenant): Promise<string> {
  const deps = createDeps(productConfig({ publicKey: null }), createLog('silent'), db)
  const { key } = await issueApiKey(deps, businessId, { name: 'Measured' })
  await deps.provider.close()
  return key
}

async function openAccount(db: Database, { businessId }: Tenant): Promise<string> {
  const id = makeId('virtualAccount', randomBytes(16))
  await db.statement(
    (query) => query`
      insert into virtual_accounts (business_id, id, end_user_id, source_currency, destination_payment_rail,
        destination_currency, destination_address, developer_fee_percent, waiting_for_kyc, answered, status)
      select business_id, ${id}, id, 'usd', 'solana', 'usdc', '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE', '0', false,
        true, 'active'
      from end_users where business_id = ${businessId} limit 1`,
  )
  return id
}
