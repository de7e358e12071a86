#!/usr/bin/env node
// Runs the tests with Node's runner on one throw-away PostgreSQL, and leaves nothing behind: no server, no directory.
// Arguments replace the default files. With TEST_DATABASE_URL set, that server is used instead of a throw-away one.
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
const { readFileSync, statfsSync } = await import('node:fs')
const { tmpdir } = await import('node:os')
const { join } = await import('node:path')
const { fileURLToPath } = await import('node:url')
const { writeGroups } = await import('./test-groups.js')
const { openRun, removeDeadRuns } = await import('./test-run.js')

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))
const fileTimeoutMs = 5 * 60_000 // of a test
const signals = { SIGINT: 130, SIGTERM: 143 }

/** Set by the first signal: from then on nothing is begun, and what runs is ended. */
let interrupted = null
let child = null
for (const signal of Object.keys(signals)) {
  process.on(signal, () => {
    interrupted ??= signal
    child?.kill(signal)
  })
}

process.exitCode = await main(process.argv.slice(2))

async function main(args) {
  const seed = args[0] === '--shuffle' ? Number(args[1]) : null
  if (seed !== null && !(Number.isSafeInteger(seed) && args.length === 2)) {
    console.error('--shuffle takes a whole number and nothing else')
    return 64
  }
  const runs = process.env.TMPDIR ?? inMemory('/dev/shm') ?? tmpdir()
  await removeDeadRuns(runs)
  const run = await openRun(runs)
  // What Node makes of the sources, where the command line keeps it too: reading them takes a third of the time.
  process.env.NODE_COMPILE_CACHE ??= pathOf('../node_modules/.cache/causeway')
  process.env.TMPDIR = run.temporary
  process.env.CAUSEWAY_TEST_RUN = run.directory
  process.env.CAUSEWAY_TEST_HOMES = run.homes
  try {
    if (args[0] === '--run') return await runScript(args.slice(1))
    const isWhole = args.length === 0 || seed !== null
    return await runNode(testArguments(isWhole ? writeGroups(join(run.directory, 'groups'), seed) : args))
  } finally {
    await run.close()
  }
}

/** The identity data that a script stores is not searched for: planted bugs may store it. */
async function runScript(args) {
  const { start, stop } = await import('./test-setup.js')
  try {
    await start()
    return await runNode(args)
  } finally {
    await stop()
  }
}

function testArguments(files) {
  // A process runs several files one after the other, and may take as long as the longest three. At night one file fills in the
  // forms of 250 countries, which takes about 20 minutes where nothing else runs.
  const processTimeoutMs = (process.env.CAUSEWAY_NIGHTLY === 'true' ? 20 : 3) * fileTimeoutMs
  return [
    `--import=${new URL(`test-limit.js?ms=${processTimeoutMs}`, import.meta.url)}`,
    `--import=${new URL('test-statuses.ts', import.meta.url)}`,
    '--conditions=@causeway/source', // `@causeway/sdk` by its sources, not by its build
    '--test',
    `--test-global-setup=${pathOf('test-setup.js')}`,
    '--test-reporter=spec',
    '--test-concurrency=6', // on two cores: half of its time a file waits, and what waits longest should not be alone at the end
    `--test-timeout=${fileTimeoutMs}`,
    ...files,
  ]
}

async function runNode(args) {
  if (interrupted) return signals[interrupted]
  child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (...end) => resolve(end))
  })
  return code || signals[interrupted ?? signal] || (code ?? 1)
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
