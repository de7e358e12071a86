// Which version came before this one: the newest release. While there is none, the oldest commit that has the migrations of today:
// no release has to work with the schemas before it. And the packed command line of a version, as it is published.

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { requireProgram } from '../rig/programs.ts'

/** Folders with the packed command line of the version before and of this one. */
export type Packed = { before: string; now: string }

const run = promisify(execFile)

const root = resolve(import.meta.dirname, '../../../..')
const cache = join(root, 'node_modules/.cache/causeway-releases')
const postgres = 'packages/server/src/platform/postgres'
const migrations = [`${postgres}/migrations`, `${postgres}/migrate.ts`]
const outputBytesMax = 64 * 1024 * 1024

/** `name`: the tag, or `unreleased`. */
export type Release = { name: string; commit: string }

/**
 * Finds the version before this one in the history of this checkout.
 * @param ref takes the place of the newest release
 * @throws Error when the history does not reach back to it, as in a shallow clone
 */
export async function findPreviousRelease(ref: string | undefined): Promise<Release> {
  if (ref !== undefined) return { name: ref, commit: await commitOf(ref) }
  const head = await commitOf('HEAD')
  const tags = (await git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD')).split('\n')
  for (const tag of tags.filter(Boolean)) {
    const commit = await commitOf(tag)
    if (commit !== head) return { name: tag, commit }
  }
  const commit = await git('log', '-1', '--format=%H', 'HEAD', '--', ...migrations)
  if (commit === '') throw new Error(`the history of ${migrations.join(' and ')} is not here: fetch it whole`)
  return { name: 'unreleased', commit }
}

async function commitOf(ref: string): Promise<string> {
  return await git('rev-parse', '--verify', `${ref}^{commit}`)
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(requireProgram('git', 'git'), ['-C', root, ...args], { maxBuffer: outputBytesMax })
  return stdout.trim()
}

/** @returns the folder with the packed command line of this checkout, as it stands there */
export async function packThis(folder: string): Promise<string> {
  await run(process.execPath, [join(root, 'packages/cli/scripts/build.js'), folder], { cwd: root })
  return folder
}

/**
 * Builds a commit from its own sources with its own dependencies and its own script; once, for it never changes.
 * @returns the folder with its packed command line
 */
export async function packCommit(commit: string, say: (line: string) => void): Promise<string> {
  const packed = join(cache, commit)
  if (await exists(packed)) return packed
  const tree = await mkdtemp(join(tmpdir(), 'causeway-release-'))
  try {
    say(`packing ${commit.slice(0, 12)}, with its own dependencies`)
    const archive = join(tree, 'sources.tar')
    const sources = join(tree, 'sources')
    await mkdir(sources)
    await git('archive', '--output', archive, commit)
    await run('tar', ['-x', '-f', archive, '-C', sources])
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: sources,
      maxBuffer: outputBytesMax,
    })
    await run(process.execPath, [join(sources, 'packages/cli/scripts/build.js')], { cwd: sources })
    await mkdir(cache, { recursive: true })
    const moving = `${packed}-${process.pid}`
    await cp(join(sources, 'packages/cli/dist'), moving, { recursive: true })
    await rename(moving, packed)
    return packed
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

/** What starts a packed command line. */
export const commandOf = (packed: string): readonly [string, ...string[]] => [
  process.execPath,
  join(packed, 'bin/causeway.js'),
]
