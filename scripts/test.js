#!/usr/bin/env node
// Runs the tests with Node's runner on one throw-away PostgreSQL, and leaves nothing behind: no server, no directory.
// Arguments replace the default files. With TEST_DATABASE_URL set, that server is used instead of one of ours.
// `--shuffle SEED` runs all of them in an order drawn from the seed: no file may lean on one that came before.
// `--run FILE …` runs that script on it in place of the tests: one that runs tests itself, as planted-bugs does.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `The tests need Node 24 or newer and this is ${process.version}: use "npm test", which brings Node 24 along.`,
  )
  process.exit(78)
}

const { spawn } = await import('node:child_process')
const { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync } =
  await import('node:fs')
const { connect, createServer } = await import('node:net')
const { tmpdir } = await import('node:os')
const { join } = await import('node:path')
const { fileURLToPath } = await import('node:url')
const { writeGroups } = await import('./test-groups.js')
const { bundlePrograms } = await import('./test-programs.js')
const { forgetEmbedded, startEmbedded } = await import('../packages/embedded-postgres/src/embedded.ts')

const runPrefix = 'causeway-test-'
// What Node makes of the sources, where the command line keeps it too: reading them takes a third of the time.
const compileCache = fileURLToPath(new URL('../node_modules/.cache/causeway', import.meta.url))
const fileTimeoutMs = 5 * 60_000 // of a test
const signals = { SIGINT: 130, SIGTERM: 143 }

process.env.TMPDIR ??= inMemory('/dev/shm') ?? tmpdir()
/** Of this run and of those before it. */
const runs = tmpdir()

/** Set by the first signal: from then on nothing is begun, and what runs is ended. */
let interrupted = null
let runner = null
for (const signal of Object.keys(signals)) {
  process.on(signal, () => {
    interrupted ??= signal
    runner?.kill(signal)
  })
}

process.exitCode = await main(process.argv.slice(2))

async function main(args) {
  const seed = args[0] === '--shuffle' ? Number(args[1]) : null
  const files = seed === null ? args : args.slice(2)
  if (seed !== null && !(Number.isSafeInteger(seed) && files.length === 0)) {
    console.error('--shuffle takes a whole number and nothing else')
    return 64
  }
  const run = await openRun()
  process.env.TMPDIR = run.temporary
  let code = 1
  try {
    await removeDeadRuns(run.directory)
    const isScript = files[0] === '--run'
    const isWhole = files.length === 0
    // A few files start too few processes to be worth a bundle.
    const bundling = isWhole ? bundlePrograms(run.directory, compileCache) : null
    bundling?.catch(() => {}) // waited for below
    run.server = process.env.TEST_DATABASE_URL ? null : await startEmbedded({ home: run.home, durable: false })
    const connection = run.server?.connection ?? connectionOf(new URL(process.env.TEST_DATABASE_URL))
    const chosen = isWhole ? writeGroups(join(run.directory, 'groups'), seed) : files
    code = await runNode(isScript ? files.slice(1) : testArguments(chosen), {
      NODE_COMPILE_CACHE: compileCache,
      ...process.env,
      ...programsOf(await bundling),
      CAUSEWAY_TEST_PG: JSON.stringify(connection),
      CAUSEWAY_TEST_HOMES: run.homes,
    })
    // What a script left in the database is its own affair: a planted bug may well have stored identity data.
    if (run.server && !interrupted && !isScript && (await hasCanaries(connection))) code ||= 1
  } catch (error) {
    complain(error)
  }
  return (await closeRun(run)) ? code : code || 1
}

function programsOf(programs) {
  return programs && { CAUSEWAY_TEST_CLI: programs.commandLine, CAUSEWAY_TEST_SANDBOX: programs.emulator }
}

/**
 * Every body of the tests with identity data carries marks: no file of the database may hold one, nor its log of changes.
 * Says nothing when all is well: the runner's summary is what people look for at the end.
 */
async function hasCanaries(connection) {
  const { searchDatabaseFiles } = await import('../packages/server/test/canary-search.ts')
  const { files, hits } = await searchDatabaseFiles(connection)
  if (files < 100) throw new Error(`only ${files} files of the database could be searched for identity data`)
  for (const hit of hits.slice(0, 20)) console.error(`Identity data is stored in ${hit}`)
  return hits.length > 0
}

function connectionOf(url) {
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || 'postgres',
  }
}

function testArguments(files) {
  // A process runs several files one after the other, and may take as long as the longest three.
  const limit = new URL(`test-limit.js?ms=${3 * fileTimeoutMs}`, import.meta.url)
  return [
    `--import=${limit}`,
    `--import=${new URL('test-statuses.ts', import.meta.url)}`,
    '--conditions=@causeway/source', // `@causeway/sdk` by its sources, not by its build
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=6', // on two cores: half of its time a file waits, and what waits longest should not be alone at the end
    `--test-timeout=${fileTimeoutMs}`,
    ...files,
  ]
}

async function runNode(args, environment) {
  if (interrupted) return signals[interrupted]
  runner = spawn(process.execPath, args, { env: environment, stdio: 'inherit' })
  const [code, signal] = await new Promise((resolve, reject) => {
    runner.once('error', reject)
    runner.once('exit', (...end) => resolve(end))
  })
  return code ?? signals[signal] ?? 1
}

/**
 * A run is a directory with a socket on which it listens: the kernel closes it with the process, so a later run can tell
 * a dead run from a living one. The directory gets its name when the socket listens, never before.
 */
async function openRun() {
  const unnamed = mkdtempSync(join(runs, 'causeway-starting-'))
  const lock = createServer((peer) => peer.destroy()).unref()
  await new Promise((resolve, reject) => {
    lock.once('error', reject)
    lock.listen(join(unnamed, 'alive'), resolve)
  })
  const directory = join(runs, runPrefix + unnamed.slice(-6))
  renameSync(unnamed, directory)
  // What a test that is killed leaves in its temporary directory goes with the run. The server's user has to get there.
  const { temporary, homes } = placesOf(directory)
  mkdirSync(homes, { recursive: true })
  chmodSync(directory, 0o711)
  chmodSync(temporary, 0o1777)
  return { directory, temporary, homes, home: join(homes, 'tests'), lock, server: null }
}

async function closeRun(run) {
  try {
    await run.server?.stop()
    await removeRun(run.directory)
    return true
  } catch (error) {
    complain(error)
    return false
  } finally {
    run.lock.close()
  }
}

/** `homes`: the state directories of servers that tests start themselves, and of that of all tests. */
function placesOf(directory) {
  const temporary = join(directory, 'tmp')
  return { temporary, homes: join(temporary, 'homes') }
}

async function removeRun(directory) {
  const { homes } = placesOf(directory)
  for (const name of namesIn(homes)) await forgetEmbedded(join(homes, name))
  // A killed process may write for another moment.
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}

async function removeDeadRuns(ours) {
  for (const name of namesIn(runs)) {
    const directory = join(runs, name)
    if (!name.startsWith(runPrefix) || directory === ours) continue
    const info = lstatSync(directory, { throwIfNoEntry: false })
    if (!info?.isDirectory() || info.uid !== process.getuid?.()) continue
    if (await isAlive(join(directory, 'alive'))) continue
    try {
      await removeRun(directory)
    } catch (error) {
      complain(error, `${directory} of a dead run was left: `)
    }
  }
}

/** Only a refusal says that nobody listens; any other trouble may be a living run's. */
function isAlive(path) {
  return new Promise((resolve) => {
    const peer = connect(path)
    peer.once('connect', () => resolve(true))
    peer.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(error.code)))
    peer.once('close', () => peer.destroy())
  })
}

/**
 * The folder of a file system in memory that has room for a run: on some disks it takes half a millisecond to make a file, and
 * a database is 560 files.
 */
function inMemory(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === folder)
    const mayRun = mount !== undefined && !mount.split(' ')[3].split(',').includes('noexec')
    const gib = 1024 ** 3
    return mayRun && bavail * bsize > 8 * gib && process.availableMemory() > 12 * gib ? folder : null
  } catch {
    return null
  }
}

function namesIn(directory) {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function complain(error, about = '') {
  console.error(about + (error instanceof Error ? error.message : String(error)))
}
