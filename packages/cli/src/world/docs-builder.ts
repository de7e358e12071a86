// Builds the site of the documentation from the checkout when a reader first asks for it, and again when its pages are newer:
// beside the server, at the lowest priority.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, rmSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import type { SiteBuild } from '../../../server/src/app/docs/site.ts'
import type { Env } from '../local-state.ts'

export type DocsBuilder = {
  /** Says how the site stands, and begins a build where one is due. Called for each page that is asked for. */
  build: () => SiteBuild
  stop(): Promise<void>
}

const checkout = resolve(import.meta.dirname, '../../../..')
const sources = ['docs/*.{json,mjs}', 'docs/{src,public,scripts,examples}/**', 'packages/server/openapi.json']
const linesKept = 15

/** @param root of the checkout; elsewhere nothing is built */
export function docsBuilder(env: Env, root = checkout): DocsBuilder {
  let looked: SiteBuild | null = null
  let child: ReturnType<typeof spawn> | null = null

  function begin(): SiteBuild {
    const isGroup = process.platform !== 'win32' // npm and its children end with it
    child = spawn(process.execPath, [join(root, 'scripts/build-docs.js')], {
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
      looked = code === 0 ? { state: 'built' } : { state: 'failed', reason, command: 'npm run docs:build' }
    })
    return { state: 'building', sinceMs: performance.now() }
  }

  return {
    build: () => (looked ??= isDue(root) ? begin() : { state: 'built' }),
    async stop() {
      const running = child
      if (running?.pid === undefined) return
      const ended = once(running, 'close')
      // The process and those it has started form a group.
      if (process.platform === 'win32') running.kill()
      else process.kill(-running.pid, 'SIGTERM')
      await ended
      rmSync(join(root, `docs/dist-${running.pid}`), { recursive: true, force: true })
    },
  }
}

function isDue(root: string): boolean {
  if (!existsSync(join(root, 'docs/astro.config.mjs'))) return false
  const site = statSync(join(root, 'docs/dist/script-hashes.json'), { throwIfNoEntry: false })
  if (site === undefined) return true
  return globSync(sources, { cwd: root }).some((path) => statSync(join(root, path)).mtimeMs > site.mtimeMs)
}
