// The directory of one run of the tests: everything that the run writes is below it. A run removes the directories of runs that
// were killed, and stops the PostgreSQL of each.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { forgetEmbedded } from '../packages/embedded-postgres/src/embedded.ts'

const prefix = 'causeway-test-'

/**
 * A run is a directory with a socket on which it listens: the kernel closes it with the process, so a later run can tell
 * a dead run from a living one. The directory gets its name when the socket listens, never before.
 * @param runs the folder of this run and of those before it
 */
export async function openRun(runs) {
  const unnamed = mkdtempSync(join(runs, 'causeway-starting-'))
  const lock = createServer((peer) => peer.destroy()).unref()
  await new Promise((resolve, reject) => {
    lock.once('error', reject)
    lock.listen(join(unnamed, 'alive'), resolve)
  })
  const directory = join(runs, prefix + unnamed.slice(-6))
  renameSync(unnamed, directory)
  // What a test that is killed leaves in its temporary directory goes with the run. The server's user has to get there.
  const { temporary, homes } = placesOf(directory)
  mkdirSync(homes, { recursive: true })
  chmodSync(directory, 0o711)
  chmodSync(temporary, 0o1777)
  const close = async () => {
    await removeRun(directory)
    lock.close()
  }
  return { directory, temporary, homes, close }
}

export async function removeDeadRuns(runs) {
  for (const name of namesIn(runs)) {
    const directory = join(runs, name)
    if (!name.startsWith(prefix)) continue
    const info = lstatSync(directory, { throwIfNoEntry: false })
    if (!info?.isDirectory() || info.uid !== process.getuid?.()) continue
    if (await isAlive(join(directory, 'alive'))) continue
    await removeRun(directory).catch((error) => console.error(`${directory} of a dead run was left: ${error.message}`))
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

/** Only a refusal says that nobody listens; any other trouble may be a living run's. */
function isAlive(path) {
  return new Promise((resolve) => {
    const peer = connect(path)
    peer.once('connect', () => resolve(true))
    peer.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(error.code)))
    peer.once('close', () => peer.destroy())
  })
}

function namesIn(directory) {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
