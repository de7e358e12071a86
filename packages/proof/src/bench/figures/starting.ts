// P7: resources of an idle server, and the time to the first response, for an empty directory and for a later start. Starts the
// whole local environment, as `npm start` does: database, sandbox provider, server, first business.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { forgetEmbedded } from '../../../../embedded-postgres/src/embedded.ts'
import { freePort } from '../../../../server/test/caller.ts'
import { readMemoryMib, ticksOfTree, ticksPerSecond } from '../../processor-time.ts'
import { openDeployment } from '../../relay-world/deployment.ts'
import type { Bench } from '../bench.ts'
import { type Measured, Rounds } from '../ratio.ts'

const cli = new URL('../../../../cli/', import.meta.url)
const entry = fileURLToPath(new URL('bin/causeway.js', cli))
const startMsMax = 60_000
const pollMs = 3
const restSeconds = 5

export async function measureStarting(bench: Bench): Promise<Measured> {
  const rounds = new Rounds()
  const isLinux = process.platform === 'linux'
  if (isLinux) await measureRest(bench, rounds)
  const homes: string[] = []
  try {
    // The first round reads everything from the disk and is not counted.
    for (let round = 0; round <= bench.scale.pairs; round++) {
      const home = await mkdtemp(join(tmpdir(), 'causeway-bench-start-'))
      homes.push(home)
      await chmod(home, 0o711)
      for (const name of ['cold', 'again']) {
        const ms = await timeStart(home)
        if (round > 0) rounds.note(name, ms)
      }
    }
  } finally {
    // At the end only: ext4 looks long for an inode as long as the thousand files of a cluster were removed lately.
    for (const home of homes) {
      await forgetEmbedded(home)
      await rm(home, { recursive: true, force: true })
    }
  }
  const ratio = (name: string, part: string | null, what: string, atMost: number, unit: 'ms' | 'MiB' | '%' = 'ms') => ({
    id: 'P7',
    part,
    what,
    goal: { atMost, unit },
    figures: rounds.of(name),
  })
  return {
    ratios: [
      ratio('cold', null, 'npm start in an empty directory → first 200', 2_500),
      ratio('again', 'restart', 'the same, started before', 1_000),
      ...(isLinux
        ? [
            ratio('memory', 'at rest', 'memory of a packed server that has nothing to do (RSS)', 150, 'MiB'),
            ratio('idle', 'idle CPU', 'processor time of the same', 1, '%'),
          ]
        : []),
    ],
    speeds: [],
  }
}

/** For the packed command line of the image, because sources are compiled in memory at each start. */
async function measureRest({ databases, scale }: Bench, rounds: Rounds): Promise<void> {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('scripts/build.js', cli))])
  const command = [process.execPath, fileURLToPath(new URL('dist/bin/causeway.js', cli))] as const
  await using database = await databases.create('rest')
  await using deployment = await openDeployment(database.connection, {})
  await using server = await deployment.serve({}, { command })
  for (let round = 0; round < scale.pairs; round++) {
    await delay(restSeconds * 1_000) // the first round begins when the work of the start is over
    const before = ticksOfTree(server.pid)
    await delay(restSeconds * 1_000)
    rounds.note('idle', ((ticksOfTree(server.pid) - before) * 100) / (restSeconds * ticksPerSecond))
    rounds.note('memory', readMemoryMib(server.pid))
  }
}

/** @returns milliseconds from the start of the process to its first response */
async function timeStart(home: string): Promise<number> {
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const startedMs = performance.now()
  const child = spawn(process.execPath, [entry, 'dev'], {
    stdio: 'ignore',
    env: {
      CAUSEWAY_HOME: home,
      BUILD_PAGES: 'never',
      NODE_COMPILE_CACHE: join(home, 'compile-cache'),
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
    },
  })
  try {
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) {
        assert.equal(child.exitCode, null, 'it ended before it was ready')
        assert.ok(performance.now() - startedMs < startMsMax, 'it was not ready in time')
        await delay(pollMs)
      }
    }
    // A whole request each time would take a tenth of this machine.
    await until(() => listens(port))
    await until(() => answers(`http://127.0.0.1:${port}/readyz`))
    return performance.now() - startedMs
  } finally {
    await end(child)
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (does: boolean) => {
      socket.destroy()
      resolve(does)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  )
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
