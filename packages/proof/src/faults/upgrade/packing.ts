// Packed command lines, as they are published: the version before this one, this one, and versions that do not exist yet. The
// version before is the newest release. While there is none, it is the newest commit with today's migrations: no release has to
// work with the schemas before them.

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { requireProgram } from '../../rig/programs.ts'
import type { Program } from '../../rig/world.ts'

const run = promisify(execFile)

const root = resolve(import.meta.dirname, '../../../../..')
const cache = join(root, 'node_modules/.cache/causeway-releases')
const postgres = 'packages/server/src/platform/postgres'
const migrations = [`${postgres}/migrations`, `${postgres}/migrate.ts`]
const outputBytesMax = 64 * 1024 * 1024

/** `name`: the tag, or `unreleased`. */
export type Release = { name: string; commit: string }

/**
 * Finds the version before this one in the history of this checkout.
 * @param ref takes the place of the newest release
 * @throws Error if the history does not reach back to it, as in a shallow clone
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
  if (commit === '') throw new Error(`the history lacks ${migrations.join(' and ')}: fetch all of it`)
  return { name: 'unreleased', commit }
}

async function commitOf(ref: string): Promise<string> {
  return await git('rev-parse', '--verify', `${ref}^{commit}`)
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(requireProgram('git', 'git'), ['-C', root, ...args], { maxBuffer: outputBytesMax })
  return stdout.trim()
}

/** Packs this checkout as it is, uncommitted changes included. */
export async function packThis(folder: string): Promise<void> {
  await run(process.execPath, [join(root, 'packages/cli/scripts/build.js'), folder], { cwd: root })
}

/** Adds migrations to a copy of a packed version: the next version, as far as the schema is concerned. */
export async function packNext(packed: string, folder: string, added: Readonly<Record<string, string>>): Promise<void> {
  await cp(packed, folder, { recursive: true })
  for (const [name, sql] of Object.entries(added))
    await writeFile(join(folder, 'lib/files', postgres, 'migrations', name), sql)
}

/**
 * Builds a commit from its own sources with its own dependencies and its own script; once, because a commit never changes.
 * @returns the folder with its packed command line
 */
export async function packCommit(commit: string, log: (line: string) => void): Promise<string> {
  const packed = join(cache, commit)
  if (await exists(packed)) return packed
  const tree = await mkdtemp(join(tmpdir(), 'causeway-release-'))
  try {
    log(`packing ${commit.slice(0, 12)}, with its own dependencies`)
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

/** Starts a packed command line. */
export const programIn = (packed: string): Program => [process.execPath, join(packed, 'bin/causeway.js')]
