// Builds the documentation, the console and the onboarding page from the checkout where they are missing or older than their
// sources, in processes of the lowest priority next to the server.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, rmSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import type { SiteBuild } from '../../../server/src/platform/http/pages/built-site.ts'
import type { Env } from '../local-state.ts'

export type SiteBuilder = {
  /** Returns the state of the site, and starts a build if the site is outdated. Called for each requested page. */
  build: () => SiteBuild
  /** Waits for the build that runs. */
  settled(): Promise<SiteBuild>
  stop(): Promise<void>
}

const checkout = resolve(import.meta.dirname, '../../../..')

/** `folder` has the sources and the built site. `main` is one of the sources, and `page` a file of every built site. */
type Site = {
  folder: string
  main: string
  page: string
  sources: readonly string[]
  script: readonly [path: string, ...args: string[]]
  command: string
}

const docs: Site = {
  folder: 'docs',
  main: 'astro.config.mjs',
  page: 'script-hashes.json',
  sources: ['docs/*.{json,mjs}', 'docs/{src,public,scripts,examples}/**', 'packages/server/openapi.json'],
  script: ['scripts/build-docs.js'],
  command: 'npm run docs:build',
}

const consolePages: Site = {
  folder: 'packages/console',
  main: 'vite.config.ts',
  page: 'index.html',
  sources: ['packages/console/*.{json,ts,html}', 'packages/console/src/**', 'packages/sdk/src/**'],
  script: ['scripts/build-pages.js', 'console'],
  command: 'npm run console:build',
}

const onboardingPage: Site = {
  folder: 'packages/onboarding',
  main: 'vite.config.ts',
  page: 'index.html',
  sources: ['packages/onboarding/*.{json,ts,html}', 'packages/onboarding/src/**'],
  script: ['scripts/build-pages.js', 'onboarding'],
  command: 'npm run onboarding:build',
}

const linesKept = 15

/** @param root of the checkout; outside a checkout nothing is built */
export const docsBuilder = (env: Env, root = checkout): SiteBuilder => siteBuilder(docs, env, root)
/** @param root of the checkout; outside a checkout nothing is built */
export const consoleBuilder = (env: Env, root = checkout): SiteBuilder => siteBuilder(consolePages, env, root)
/** @param root of the checkout; outside a checkout nothing is built */
export const onboardingBuilder = (env: Env, root = checkout): SiteBuilder => siteBuilder(onboardingPage, env, root)

function siteBuilder(site: Site, env: Env, root: string): SiteBuilder {
  let looked: SiteBuild | null = null
  let child: ReturnType<typeof spawn> | null = null
  let ended: Promise<unknown> = Promise.resolve()

  function begin(): SiteBuild {
    const isGroup = process.platform !== 'win32' // npm and its children end with it
    child = spawn(process.execPath, [...site.script], {
      cwd: root,
      env: { ...env },
      detached: isGroup,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.once('error', (error) => (said += error.message))
    child.once('close', (code) => {
      child = null
      const reason = said.trim().split('\n').slice(-linesKept).join('\n')
      looked = code === 0 ? { state: 'built' } : { state: 'failed', reason, command: site.command }
    })
    ended = once(child, 'close').catch(() => {}) // an error was noted above
    return { state: 'building', sinceMs: performance.now() }
  }

  return {
    build: () => (looked ??= isDue(site, root) ? begin() : { state: 'built' }),
    async settled() {
      await ended
      return looked ?? { state: 'built' }
    },
    async stop() {
      const running = child
      if (running?.pid === undefined) return
      const ended = once(running, 'close')
      // The process and its children form a group.
      if (process.platform === 'win32') running.kill()
      else process.kill(-running.pid, 'SIGTERM')
      await ended
      rmSync(join(root, site.folder, `dist-${running.pid}`), { recursive: true, force: true })
    },
  }
}

function isDue({ folder, main, page, sources }: Site, root: string): boolean {
  if (!existsSync(join(root, folder, main))) return false
  const built = statSync(join(root, folder, 'dist', page), { throwIfNoEntry: false })
  if (built === undefined) return true
  return globSync(sources, { cwd: root }).some((path) => statSync(join(root, path)).mtimeMs > built.mtimeMs)
}
