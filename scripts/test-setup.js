// Starts one PostgreSQL for all tests and bundles the programs that tests start (`--test-global-setup`). Does not remove files:
// scripts/test.js removes the directory of the run, however the runner ends.
import { join } from 'node:path'
import { startEmbedded } from '../packages/embedded-postgres/src/embedded.ts'
import { bundlePrograms } from './test-programs.js'

/** A few files start too few processes to be worth a bundle. */
const filesPerBundle = 30

let starting = null
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isInterrupted = true))

export async function globalSetup() {
  await start()
  // The runner exits after the teardown. Until then it would start tests.
  if (isInterrupted) await new Promise(() => {})
}

export async function start() {
  const { CAUSEWAY_TEST_RUN, CAUSEWAY_TEST_HOMES, NODE_COMPILE_CACHE, TEST_DATABASE_URL } = process.env
  starting = TEST_DATABASE_URL ? null : startEmbedded({ home: join(CAUSEWAY_TEST_HOMES, 'tests'), durable: false })
  const isWhole = process.argv.length > filesPerBundle
  const [server, programs] = await Promise.all([
    starting,
    isWhole ? bundlePrograms(CAUSEWAY_TEST_RUN, NODE_COMPILE_CACHE) : null,
  ])
  process.env.CAUSEWAY_TEST_PG = JSON.stringify(server?.connection ?? connectionOf(new URL(TEST_DATABASE_URL)))
  if (!programs) return
  process.env.CAUSEWAY_TEST_CLI = programs.commandLine
  process.env.CAUSEWAY_TEST_SANDBOX = programs.emulator
}

/** Does not throw: Node would call it again, without end. Prints nothing on success: the runner's summary ends the output. */
export async function globalTeardown() {
  const server = await starting?.catch(() => null)
  try {
    if (server && !isInterrupted) await assertNoCanaries(server.connection)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
  await stop()
}

export async function stop() {
  const server = await starting?.catch(() => null) // the setup reports the error
  await server?.stop()
}

/** Every body of the tests with identity data carries marks: no file of the database may hold one, nor its log of changes. */
async function assertNoCanaries(connection) {
  const { searchDatabaseFiles } = await import('../packages/server/test/canary-search.ts')
  const { files, hits } = await searchDatabaseFiles(connection)
  if (files < 100) throw new Error(`only ${files} files of the database could be searched for identity data`)
  if (hits.length > 0)
    throw new Error(
      hits
        .slice(0, 20)
        .map((hit) => `Identity data is stored in ${hit}`)
        .join('\n'),
    )
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
