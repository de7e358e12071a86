// Where the embedded database is, and its user. For an ordinary user all of it is in the state directory. PostgreSQL refuses to run
// as root, so root gets an unprivileged user and a root-owned place that this user can reach.
import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedError } from './error.ts'

/** The unprivileged user that root drops to. */
export type Account = { uid: number; gid: number }

export type Place = {
  /** The state directory, absolute, links resolved. */
  home: string
  /** Everything of one database: `data`, `password`, `server.log`, `socket`. */
  cluster: string
  /** Where binaries are laid out, one directory a version. */
  binariesBase: string
  /** null: the server runs as ourselves. */
  account: Account | null
}

const pointerName = 'postgres.json'
const othersWrite = 0o002
const groupOrOthersWrite = 0o022
const othersSearch = 0o001
const sticky = 0o1000

/**
 * Returns the current or future place of the database of a state directory. Creates nothing below that directory.
 * @throws EmbeddedError `unsafe_path`, `elsewhere`, `unsupported`
 */
export function locate(home: string): Place {
  const realHome = resolveLinks(resolve(home))
  const place = process.getuid?.() === 0 ? locateAsRoot(realHome) : locateAsUser(realHome)
  checkCluster(place)
  return place
}

function locateAsUser(home: string): Place {
  const info = statIfAny(home)
  const uid = process.getuid?.()
  if (info && uid !== undefined) {
    if (info.uid !== uid && info.uid !== 0) throw unsafe(home, `belongs to uid ${info.uid}, not to our uid ${uid}`)
    if ((info.mode & othersWrite) !== 0 && (info.mode & sticky) === 0) throw unsafe(home, 'can be written by everyone')
  }
  return { home, cluster: join(home, 'postgres'), binariesBase: home, account: null }
}

function locateAsRoot(home: string): Place {
  const made = statIfAny(join(home, 'postgres', 'data'))
  if (made) {
    throw new EmbeddedError(
      'elsewhere',
      `The database in ${home} belongs to the ordinary user with uid ${made.uid}: start as that user, not as root.`,
    )
  }
  const base = rootBase(home)
  const cluster = join(base, digest(home))
  return { home, cluster, binariesBase: base, account: unprivilegedAccount(cluster) }
}

/** A state directory below a temporary one is as short-lived, and so is its database. */
function rootBase(home: string): string {
  const refused: string[] = []
  const temporary = temporaryAbove(home)
  const bases = temporary === null ? ['/var/lib', tmpdir()] : [temporary, '/var/lib']
  for (const candidate of bases.map((base) => join(base, 'causeway'))) {
    try {
      return trustedDirectory(candidate)
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new EmbeddedError(
    'unsafe_path',
    `As root the embedded database needs a root-owned place that an unprivileged user can reach: ${refused.join(' ')} ` +
      'Fix one of them, start as an ordinary user, or set DATABASE_URL.',
  )
}

/** /tmp and its like: the nearest that everyone may write and nobody may clear of what is another's. By the path alone. */
function temporaryAbove(path: string): string | null {
  const parent = dirname(path)
  const isTemporary = ((statIfAny(parent)?.mode ?? 0) & (sticky | othersWrite)) === (sticky | othersWrite)
  return isTemporary ? parent : parent === path ? null : temporaryAbove(parent)
}

/** Makes the directory if need be and checks that from / on nobody but root could have put something else there. */
function trustedDirectory(path: string): string {
  const parent = realpathSync(dirname(path))
  const directory = join(parent, basename(path))
  for (let at = parent; ; at = dirname(at)) {
    checkTrusted(at, sticky)
    if (at === dirname(at)) break
  }
  if (!existsSync(directory)) {
    mkdirSync(directory, { mode: 0o755, recursive: true })
    chmodSync(directory, 0o755) // the umask may have taken away what the server's user needs
  }
  checkTrusted(directory, 0)
  return directory
}

function checkTrusted(path: string, pardonedBy: number): void {
  const info = lstatSync(path)
  if (!info.isDirectory()) throw new Error(`${path} is not a directory.`)
  if (info.uid !== 0) throw new Error(`${path} belongs to uid ${info.uid}.`)
  const isOpen = (info.mode & groupOrOthersWrite) !== 0 && (info.mode & pardonedBy) === 0
  if (isOpen) throw new Error(`${path} can be written by others.`)
  if ((info.mode & othersSearch) === 0) throw new Error(`${path} cannot be entered by others.`)
}

/** initdb and pg_ctl look their user up, so a bare uid is not enough. The owner of existing data decides between the two. */
function unprivilegedAccount(cluster: string): Account {
  const accounts = new Map<string, Account>()
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    // macOS writes nobody as -2.
    if (name && uid && gid) accounts.set(name, { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 })
  }
  const candidates = ['postgres', 'nobody'].map((name) => accounts.get(name)).filter((found) => found !== undefined)
  const owner = statIfAny(join(cluster, 'data'))?.uid
  const account = candidates.find((candidate) => candidate.uid === owner) ?? candidates[0]
  if (!account || account.uid === 0) {
    throw new EmbeddedError(
      'unsupported',
      'As root the embedded database runs as the user "postgres" or "nobody", and /etc/passwd has neither: start as an ordinary user or set DATABASE_URL.',
    )
  }
  return account
}

function checkCluster(place: Place): void {
  const uid = process.getuid?.()
  if (uid === undefined) return
  const expect = (path: string, owner: number, forbidden: number) => {
    const info = statIfAny(path)
    if (!info) return
    if (!info.isDirectory()) throw unsafe(path, 'is not a directory')
    if (info.uid !== owner) throw unsafe(path, `belongs to uid ${info.uid} instead of ${owner}`)
    if ((info.mode & forbidden) !== 0) throw unsafe(path, 'is open to others')
  }
  expect(place.cluster, uid, groupOrOthersWrite)
  expect(join(place.cluster, 'data'), place.account?.uid ?? uid, 0o027)
}

/** Writes the place of the database into its state directory. `id` distinguishes databases that had the same place. */
export function writePointer(place: Place, id = idOf(place.cluster)): void {
  if (!place.account) return
  // Root may be writing into somebody's checkout: a name that exists, a planted link too, is never written through.
  const next = join(place.home, `${pointerName}.${randomUUID()}`)
  writeFileSync(next, `${JSON.stringify({ home: place.home, directory: place.cluster, id }, null, 2)}\n`, {
    flag: 'wx',
  })
  renameSync(next, join(place.home, pointerName))
}

export function removePointer(place: Place): void {
  rmSync(join(place.home, pointerName), { force: true })
}

/** The password is 192 random bits, so its digest is one of a kind. @returns null where there is no database */
export function idOf(cluster: string): string | null {
  const password = join(cluster, 'password')
  return existsSync(password) ? digest(readFileSync(password)) : null
}

const digest = (of: string | Buffer): string => createHash('sha256').update(of).digest('hex').slice(0, 16)

/** Tells whether root's database outlived its state directory: a pointer is written before a database gets its place. */
export function isUnclaimed(place: Place): boolean {
  return place.account !== null && existsSync(place.cluster) && !existsSync(join(place.home, pointerName))
}

/** Names the place of a database whose state directory is gone. */
export const setAsidePath = (cluster: string, id: string | null): string => `${cluster}.removed-${id}`

/**
 * Refuses a state directory that was moved, copied or handed from root to a user: it would begin with an empty database.
 * @throws EmbeddedError `elsewhere`
 */
export function checkPointer(place: Place): void {
  const path = join(place.home, pointerName)
  const pointer = readPointer(path)
  if (!pointer) return
  if (place.account === null) {
    throw new EmbeddedError(
      'elsewhere',
      `The database of ${place.home} was created by root and is in ${pointer.directory}: start as root, or start without the data with --reset.`,
    )
  }
  const candidates = [place.cluster, pointer.directory, setAsidePath(pointer.directory, pointer.id)]
  const found = candidates.find((candidate) => idOf(candidate) === pointer.id)
  if (found === place.cluster || (found === undefined && pointer.directory === place.cluster)) return
  const keep =
    found === undefined
      ? `whose database is no longer in ${pointer.directory}.`
      : `whose database is in ${found}. To keep it, stop every process that uses it, and run: ${moveCommand(found, place.cluster)}.`
  throw new EmbeddedError(
    'elsewhere',
    `${place.home} was moved or copied from ${pointer.home}, ${keep} To start without the data, use --reset.`,
  )
}

function moveCommand(from: string, to: string): string {
  const move = `mv ${shellQuoted(from)} ${shellQuoted(to)}`
  return existsSync(to) ? `mv ${shellQuoted(to)} ${shellQuoted(setAsidePath(to, idOf(to)))} && ${move}` : move
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

type Pointer = { home: string; directory: string; id: string }

function readPointer(path: string): Pointer | null {
  if (!existsSync(path)) return null
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (typeof value !== 'object' || value === null) return null
  if (!('home' in value && 'directory' in value && 'id' in value)) return null
  return { home: String(value.home), directory: String(value.directory), id: String(value.id) }
}

/** Resolves links; the part of the path that does not exist yet stays as written. */
function resolveLinks(path: string): string {
  if (existsSync(path) || path === dirname(path)) return realpathSync(path)
  return join(resolveLinks(dirname(path)), basename(path))
}

/** Never looks through a link: a planted one is reported as "not a directory". */
function statIfAny(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

function unsafe(path: string, why: string): EmbeddedError {
  return new EmbeddedError(
    'unsafe_path',
    `${path} ${why}: the embedded database will not use it. Fix it, remove it, or set CAUSEWAY_HOME.`,
  )
}
