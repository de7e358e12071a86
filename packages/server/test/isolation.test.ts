// The second wall alone: a server whose SQL has forgotten every `where business_id = …`, and a stranger who asks it for
// everything. Then that wall is taken away too, to see that this test would notice.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { flushRequests } from '../src/businesses/requests/service.ts'
import { addChanges } from '../src/stats/store.ts'
import { type Answer, assertSameAnswer, type Operation, operations, request, until } from './caller.ts'
import { absentNames, bodyOf, namesObject, pathOf, realNames } from './http/operation-matrix.ts'
import { modulesWithoutFirstWall } from './one-wall.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const names = await realNames(world)
const stranger = await world.otherBusiness()
const owner = world.business.id
const { db } = world.inside

const { createApp, createDeps, openDatabase, removed } = await modulesWithoutFirstWall()
const bare = await startBare()
after(() => bare.stop())

async function startBare() {
  const { config, log } = world.inside
  const database = openDatabase(world.database, { poolMax: 4 })
  const deps = createDeps(config, log, database)
  const app = await createApp(deps)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url: app.listeningOrigin,
    async stop() {
      await app.close()
      await deps.provider.close()
      await database.close()
    },
  }
}

const ofBusiness = operations.filter(({ auth }) => auth === 'business')
const named = ofBusiness.filter(
  (operation) => namesObject(operation) && (operation.path.includes('{') || operation.body),
)
const lists = ofBusiness.filter(({ method, path }) => method === 'GET' && !path.includes('{'))

const ask = ({ method }: Operation, path: string, body: unknown): Promise<Answer> =>
  request(method, `${bare.url}${path}`, body, { headers: { authorization: `Bearer ${stranger.apiKey}` } })
const askFor = (operation: Operation, whose: typeof names) =>
  ask(operation, pathOf(operation, whose), bodyOf(operation, whose))

/** Lists texts in a response that can only come from the other business. */
function foreignIn({ text }: Answer): string[] {
  const { customer, ...rest } = names
  return [customer, ...Object.values(rest)].filter((name) => text.includes(name))
}

/** The tables that hold rows of businesses, and every row of the first one: changed rows show. */
async function rowsOfOwner(): Promise<Record<string, string>> {
  const tables = await tablesOf()
  const rows = await Promise.all(
    tables.map(async (table) => {
      const [row] = await db.read(
        (query) => query<{ digest: string }[]>`
          select coalesce(md5(string_agg(r, E'\n' order by r)), '') as digest
          from (select to_jsonb(t)::text as r from ${query.names(table)} t where business_id = ${owner}) rows`,
      )
      return [table, row?.digest ?? ''] as const
    }),
  )
  return Object.fromEntries(rows)
}

const isHeld = () =>
  db.read((query) => query`select 1 from endpoint_lanes where business_id = ${owner} and owner is not null limit 1`)

/** When the loops have nothing more to do for it. A lane is given back when nothing was sent for five seconds. */
async function settledRows(): Promise<Record<string, string>> {
  await until('lanes given back', async () => (await isHeld()).length === 0)
  await world.inside.lastUsedBuffer.flush(db)
  await flushRequests(world.inside)
  await db.read((query) => addChanges(query, 10_000))
  let last = await rowsOfOwner()
  return await until('rows at rest', async () => {
    await delay(300)
    const before = last
    last = await rowsOfOwner()
    return isDeepStrictEqual(before, last) && last
  })
}

async function tablesOf(): Promise<string[]> {
  const rows = await db.read(
    (query) => query<{ name: string }[]>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'business_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  return rows.map(({ name }) => name)
}

describe('without the first wall', () => {
  test('it is really gone', () => assert.ok(removed > 80, `${removed} conditions were taken out`))

  for (const operation of named) {
    test(`404 ${operation.id}: what is another's reads byte for byte as what is not there`, async () => {
      const foreign = await askFor(operation, names)
      assert.equal(foreign.status, 404, foreign.text)
      assertSameAnswer(foreign, await askFor(operation, absentNames))
    })
  }
  for (const operation of lists) {
    test(`200 ${operation.id}: nothing of another's`, async () => {
      const answer = await askFor(operation, names)
      assert.ok(answer.status === 200 || answer.status === 404, answer.text)
      assert.deepEqual(foreignIn(answer), [])
    })
  }
  test('whatever a stranger writes changes no row of another', async () => {
    const before = await settledRows()
    assert.ok(Object.values(before).filter((digest) => digest !== '').length > 8)
    for (const operation of ofBusiness) if (operation.method !== 'GET') await askFor(operation, names)
    assert.deepEqual(await rowsOfOwner(), before)
  })
})

test('without both walls this would be seen', async () => {
  const tables = [...(await tablesOf()), 'businesses']
  await db.transaction(async (tx) => {
    for (const table of tables) await tx.unsafe(`alter policy one_business on ${table} using (true) with check (true)`)
  })
  const answers = await Promise.all(
    [...named, ...lists].filter(({ method }) => method === 'GET').map((operation) => askFor(operation, names)),
  )
  const leaks = answers.filter((answer) => answer.status === 200 && foreignIn(answer).length > 0)
  assert.ok(leaks.length > 10, `${leaks.length} of ${answers.length} leak`)
})
