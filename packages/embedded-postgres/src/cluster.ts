// The embedded database's directory: `data`, `password` and `server.log`, made as a whole or not at all.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Binaries, requireRunnable } from './binaries.ts'
import { EmbeddedError } from './error.ts'
import { idOf, isUnclaimed, type Place, setAsidePath, writePointer } from './place.ts'
import { lastLines, run } from './process.ts'

export const superuser = 'causeway'
const initdbTimeoutMs = 120_000

export const dataOf = (place: Place) => join(place.cluster, 'data')
export const logOf = (place: Place) => join(place.cluster, 'server.log')

/**
 * Makes the cluster unless it exists.
 * @returns the superuser's password
 * @throws EmbeddedError `other_major`
 */
export async function openCluster(place: Place, binaries: Binaries, durable: boolean): Promise<string> {
  if (!existsSync(place.cluster)) await createCluster(place, binaries, durable)
  const major = Number(readFileSync(join(dataOf(place), 'PG_VERSION'), 'utf8'))
  if (major !== binaries.major) {
    throw new EmbeddedError(
      'other_major',
      `${dataOf(place)} was written by PostgreSQL ${major} and the binaries here are PostgreSQL ${binaries.major}. ` +
        `Dump the data with your own PostgreSQL ${major} (pg_dump) and restore it into a new state directory; ` +
        'to start without the data, use --reset.',
    )
  }
  return readFileSync(join(place.cluster, 'password'), 'utf8')
}

/** initdb works under another name, renamed at the end: an initdb killed midway leaves no cluster. */
async function createCluster(place: Place, binaries: Binaries, durable: boolean): Promise<void> {
  mkdirSync(dirname(place.cluster), { recursive: true, mode: 0o700 })
  const next = mkdtempSync(initPrefix(place))
  try {
    await initialise(next, place, binaries, durable)
    writePointer(place, idOf(next)) // before the rename: a database without a pointer counts as unclaimed
    renameSync(next, place.cluster)
    if (durable) flushDirectory(dirname(place.cluster))
  } catch (error) {
    // Another start was first. It may even have removed `next`, as the remains of a dead start.
    if (!existsSync(place.cluster)) throw error
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

async function initialise(directory: string, place: Place, binaries: Binaries, durable: boolean): Promise<void> {
  const { account } = place
  const [data, passwordFile] = [join(directory, 'data'), join(directory, 'password')]
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx', flush: durable })
  writeFileSync(join(directory, 'home'), `${place.home}\n`) // for a person who finds this directory alone
  if (account) {
    chmodSync(directory, 0o711)
    for (const path of [data, passwordFile]) chownSync(path, account.uid, account.gid)
  }
  const args = ['--pgdata', data, '--username', superuser, '--pwfile', passwordFile, '--auth', 'scram-sha-256']
  args.push('--locale', 'C', '--encoding', 'UTF8', '--data-checksums', '--no-instructions')
  // Iterations make guessing a password expensive, and each connection too. This password is 192 random bits.
  if (binaries.major >= 16) args.push('--set', 'scram_iterations=1')
  // Shared memory as files of the data directory, as the server has it: an initdb that is killed leaves nothing in /dev/shm.
  if (binaries.major >= 16 && process.platform !== 'win32') args.push('--set', 'dynamic_shared_memory_type=mmap')
  if (!durable) args.push('--no-sync')
  const { ok, output, error } = await run(binaries.initdb, args, account, initdbTimeoutMs)
  if (!ok) {
    await requireRunnable(binaries, account)
    throw new EmbeddedError(
      'failed',
      `PostgreSQL's initdb failed:\n${lastLines(output || String(error?.message))}`,
      error,
    )
  }
  if (account) chownSync(passwordFile, 0, 0)
}

/**
 * Renames a database whose state directory was removed, because that directory may have been moved instead. No server may run
 * on the database.
 * @returns its new directory; null when there was none, or another start was first
 */
export function setAside(place: Place): string | null {
  if (!isUnclaimed(place)) return null
  // The name says which database was seen here: a second start cannot move the new database of a first one there.
  const target = setAsidePath(place.cluster, idOf(place.cluster))
  try {
    renameSync(place.cluster, target)
    return target
  } catch {
    return null
  }
}

/** Deletes the databases that were set aside at this place. */
export function removeSetAside(place: Place): void {
  removeBeside(place, basename(setAsidePath(place.cluster, '')))
}

/** Removes first starts that were killed midway. Only for the holder of the database: other starts have lost the race. */
export function removeAbandonedStarts(place: Place): void {
  try {
    removeBeside(place, basename(initPrefix(place)))
  } catch {
    // An initdb whose parent was killed may still be writing there: the next start removes the rest.
  }
}

function removeBeside(place: Place, prefix: string): void {
  const base = dirname(place.cluster)
  const names = existsSync(base) ? readdirSync(base).filter((name) => name.startsWith(prefix)) : []
  for (const name of names) rmSync(join(base, name), { recursive: true, force: true })
}

function initPrefix(place: Place): string {
  return `${place.cluster}.init-`
}

function flushDirectory(path: string): void {
  if (process.platform === 'win32') return // a directory cannot be opened there
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
