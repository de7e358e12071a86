// P7: the time to the first response, for an empty directory and for a later start. Starts the whole local environment, as
// `npm start` does: database, sandbox provider, server, first business.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { forgetEmbedded } from '../../../../embedded-postgres/src/embedded.ts'
import { freePort } from '../../../../server/test/caller.ts'
import type { Bench } from '../bench.ts'
import { type Measured, type Ratio, Rounds } from '../ratio.ts'

const cli = new URL('../../../../cli/', import.meta.url)
const entry = fileURLToPath(new URL('bin/causeway.js', cli))
const startMsMax = 60_000
const pollMs = 3

export async function measureStarting(bench: Bench): Promise<Measured> {
  const rounds = new Rounds()
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
  const ratio = (name: string, part: string | null, what: string, atMost: number): Ratio => ({
    id: 'P7',
    part,
    what,
    goal: { atMost, unit: 'ms' },
    figures: rounds.of(name),
  })
  return {
    ratios: [
      ratio('cold', null, 'npm start in an empty directory → first 200', 2_500),
      ratio('again', 'restart', 'the same, started before', 1_000),
    ],
    speeds: [],
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
