// The HTTP part of the tests on a PostgreSQL that the servers reach by the pooler alone.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { startDebianPostgres } from '../../rig/databases/debian.ts'
import { startPooler } from '../../rig/databases/pooler.ts'
import { ownEnvironment } from '../../rig/environment.ts'

export type HttpTests = { passed: number; failed: number; faults: string[] }

const root = resolve(import.meta.dirname, '../../../../..')
/** A database each, of which several files run at once. */
const serversMax = 6
const limitMs = 30 * 60_000

/** @param files globs of test files */
export async function runHttpTests(files: string, say: (line: string) => void): Promise<HttpTests> {
  const settings = { max_connections: '300', fsync: 'off', synchronous_commit: 'off' }
  await using postgres = await startDebianPostgres({ settings })
  await using pooler = await startPooler(postgres.connection, { mode: 'transaction', serversMax })
  const chosen = globSync(files, { cwd: root }).sort()
  say(`${chosen.length} files of tests, by the pooler`)
  const child = spawn(process.execPath, ['scripts/test.js', ...chosen], {
    cwd: root,
    env: { ...ownEnvironment(), TEST_DATABASE_URL: postgres.url, CAUSEWAY_TEST_POOLER: String(pooler.port) },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: limitMs,
  })
  // A signal ends this process by `endOnSignals`, which knows nothing of this one.
  process.once('exit', () => child.kill('SIGTERM'))
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  await once(child, 'exit')
  const count = (what: string): number => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(written)?.[1] ?? 0)
  const [passed, failed] = [count('pass'), count('fail')]
  const faults = failed > 0 || passed === 0 || child.exitCode !== 0 ? [`${failed} tests failed by the pooler`] : []
  if (faults.length > 0) faults.push(written.slice(written.indexOf('✖ failing tests')))
  return { passed, failed, faults }
}
