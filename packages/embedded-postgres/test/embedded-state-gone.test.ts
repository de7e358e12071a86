// Root's embedded database is outside its state folder, but belongs to it: it is deleted with a removed folder and found for a
// moved one.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCli, startCli, stateFolder } from '../../cli/test/process.ts'
import { openClient } from '../../server/src/platform/postgres/client.ts'
import type { Query } from '../../server/src/platform/postgres/query.ts'
import { type EmbeddedPostgres, forgetEmbedded, startEmbedded } from '../src/embedded.ts'
import { EmbeddedError } from '../src/error.ts'
import { locate } from '../src/place.ts'

const onlyRoot = { skip: process.getuid?.() !== 0 && 'an ordinary user has the database in the state folder' }

type End = { args?: readonly string[]; signal?: 'SIGINT' | 'SIGKILL' }

async function world(home: string, { args = [], signal = 'SIGINT' }: End = {}) {
  const dev = startCli(['dev', ...args], { CAUSEWAY_HOME: home, PORT: '0', SANDBOX_PORT: '0' })
  await dev.says('Ctrl-C stops everything').catch((error: Error) => assert.fail(error.message))
  const { apiKey } = JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8'))
  dev.signal(signal)
  const { code, stdout, stderr } = await dev.ended
  if (signal === 'SIGINT') assert.deepEqual([code, stderr], [0, ''])
  return { apiKey, banner: stdout }
}

/** State folders of one test, forgotten whatever becomes of it. */
async function stateFolders(t: TestContext, ...names: string[]): Promise<string[]> {
  const folder = await stateFolder()
  const paths = names.map((name) => join(folder.path, name))
  t.after(async () => {
    for (const path of paths) await forgetEmbedded(path)
    await folder[Symbol.asyncDispose]()
  })
  return paths
}

/** Databases that were set aside when the state folder at this path was created again. */
const setAsideOf = (home: string): string[] => {
  const { cluster } = locate(home)
  const names = readdirSync(dirname(cluster)).filter((name) => name.startsWith(`${basename(cluster)}.removed-`))
  return names.map((name) => join(dirname(cluster), name))
}

test('a removed state folder is a fresh start, also as root and after a kill, and --reset deletes what was set aside', async (t) => {
  const [home = ''] = await stateFolders(t, 'state')
  const first = await world(home, { signal: 'SIGKILL' })
  rmSync(home, { recursive: true })
  const second = await world(home)
  assert.notEqual(second.apiKey, first.apiKey)
  if (onlyRoot.skip === false) {
    const [aside = ''] = setAsideOf(home)
    assert.ok(second.banner.includes(aside), 'the banner names the old database')
  }
  rmSync(join(home, 'secrets.json'))
  const refused = await runCli(['dev'], { CAUSEWAY_HOME: home, PORT: '0', SANDBOX_PORT: '0' })
  assert.equal(refused.code, 78)
  assert.match(refused.stderr, /npm start -- --reset/, 'a folder that lost a part of itself is not thrown away')
  await world(home, { args: ['--reset'] })
  assert.deepEqual(onlyRoot.skip === false ? setAsideOf(home) : [], [])
})

test(
  'a state folder that was removed under a running world does not lose that world its database',
  onlyRoot,
  async () => {
    await using folder = await stateFolder()
    const home = join(folder.path, 'state')
    const env = { CAUSEWAY_HOME: home, PORT: '0', SANDBOX_PORT: '0' }
    const dev = startCli(['dev'], env)
    await dev.says('Ctrl-C stops everything')
    const { baseUrl } = JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8'))
    rmSync(home, { recursive: true })
    const second = await runCli(['dev'], env)
    assert.equal(second.code, 1)
    assert.match(second.stderr, /Another process already works with the database/)
    assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200)
    assert.deepEqual(setAsideOf(home), [])
    dev.signal('SIGTERM')
    await dev.ended
    await forgetEmbedded(home)
  },
)

const start = (t: TestContext, home: string): Promise<EmbeddedPostgres> => {
  const starting = startEmbedded({ home, durable: false, unclaimed: 'setAside' })
  t.after(async () => (await starting.catch(() => null))?.stop())
  return starting
}

async function query<T>(target: EmbeddedPostgres, run: (sql: Query) => Promise<T>): Promise<T> {
  const { query: sql, close } = await openClient(target.connection, { applicationName: 'test' })
  try {
    return await run(sql)
  } finally {
    await close()
  }
}

const hasOld = (target: EmbeddedPostgres): Promise<boolean> =>
  query(target, async (sql) => (await sql`select from pg_tables where tablename = 'old'`).length === 1)

test(
  'a moved state folder says how its data comes along, though another world was begun at its old place',
  onlyRoot,
  async (t) => {
    const [home = '', moved = ''] = await stateFolders(t, "it's here", 'now there')
    mkdirSync(home)
    const old = await start(t, home)
    await query(old, (sql) => sql`create table old ()`)
    await old.stop()
    renameSync(home, moved)
    mkdirSync(home)
    const fresh = await start(t, home)
    assert.equal(await hasOld(fresh), false)
    await fresh.stop()

    const refusal = await start(t, moved).then(
      () => assert.fail('it began with an empty database'),
      (error: unknown) => error,
    )
    assert.ok(refusal instanceof EmbeddedError && refusal.reason === 'elsewhere')
    assert.match(refusal.message, /--reset/)
    const [, command = ''] = /: (mv .+)\. To start without/.exec(refusal.message) ?? []
    execFileSync('sh', ['-c', command])
    const found = await start(t, moved)
    assert.equal(await hasOld(found), true)
    await found.stop()
    const again = await start(t, home)
    assert.equal(await hasOld(again), false)
    await again.stop()
  },
)
