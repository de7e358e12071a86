// Runs Schemathesis against the world, as schemathesis.toml and hooks.py say.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { processEnvironment } from '../../../server/src/platform/settings.ts'
import { operations } from '../../../server/test/caller.ts'
import { chanceOf } from '../rig/chance.ts'
import hostileTexts from './hostile-texts.json' with { type: 'json' }
import { identityMark, mark } from './marks.ts'
import { factsOf, type Walked } from './walk.ts'
import type { FuzzWorld } from './world.ts'

/** Counts by name. */
type Counts = Record<string, number>

export type Tally = {
  /** By operation. */
  statuses: Record<string, Counts>
  /** Failed checks. */
  found: Counts
  /** Refusals that hooks.py excepts, by operation and code. */
  excepted: Counts
  /** How often the checks of hooks.py that send a request did so. */
  checked: Counts
}

export type SchemathesisRun = Tally & {
  /** The failures as Schemathesis prints them, each with its curl line; null if it found none. */
  shown: string | null
}

const document = fileURLToPath(new URL('../../../server/openapi.json', import.meta.url))
/** Cases that the phase `coverage` generates from openapi.json, about. */
const coverageCases = 12_000
const operationsAbout = 95
/** Below, cases are generated for a part of the operations: generating them costs more than sending them. */
export const requestsToAll = 1_000
/** They end objects that every other request names. campaign.ts calls them once, at the end. */
export const calledLast: readonly string[] = ['deleteWebhookUrl', 'resetSandbox']

const environment = processEnvironment()
const pythonPath = environment['CAUSEWAY_PYTHON'] ?? 'python3'

/**
 * @returns why Schemathesis cannot run here, or null
 * @throws Error instead if CAUSEWAY_REQUIRE, a list with commas, names Python
 */
export function lackOfSchemathesis(): string | null {
  if (spawnSync(pythonPath, ['-c', 'import schemathesis']).status === 0) return null
  const lack = `no ${pythonPath} with the packages of packages/proof/src/fuzz/requirements.txt: install them, or set CAUSEWAY_PYTHON`
  if ((environment['CAUSEWAY_REQUIRE'] ?? '').split(',').includes('python')) throw new Error(lack)
  return lack
}

export async function runSchemathesis(
  world: FuzzWorld,
  [own, foreign]: readonly [Walked, Walked],
  { requests, seed, signal }: { requests: number; seed: number; signal: AbortSignal },
): Promise<SchemathesisRun> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-schemathesis-'))
  try {
    // Schemathesis writes its own files into the folder that it runs in.
    for (const name of ['schemathesis.toml', 'hooks.py'])
      await copyFile(join(import.meta.dirname, name), join(folder, name))
    const [given, tally] = [join(folder, 'facts.json'), join(folder, 'tally.json')]
    const share = Math.min(1, Math.max(requests, requestsToAll) / coverageCases)
    const facts = { ...factsOf(own, foreign), seed, share, tally, texts: hostileTexts, mark, identity: identityMark }
    writeFileSync(given, JSON.stringify(facts))
    const more = Math.ceil((requests - coverageCases) / operationsAbout)
    const phases = more > 0 ? ['--phases', 'coverage,fuzzing', '-n', `${more}`] : ['--phases', 'coverage']
    const excluded = leftOut(requests, seed).flatMap((id) => ['--exclude-operation-id', id])
    const options = ['--config-file', 'schemathesis.toml', 'run', document, '--seed', `${seed}`, ...phases, ...excluded]
    const child = spawn(pythonPath, ['-m', 'schemathesis.cli', ...options], {
      cwd: folder,
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environment,
        PYTHONDONTWRITEBYTECODE: '1',
        FUZZ_URL: world.facts.baseUrl,
        FUZZ_KEY: own.business.apiKey,
        FUZZ_OPERATOR: world.facts.adminSecret,
        FUZZ_FACTS: given,
      },
    })
    const [said, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    if (!existsSync(tally)) throw new Error(`Schemathesis did not run: ${said}${complaint}`)
    const counted = JSON.parse(readFileSync(tally, 'utf8')) as Tally
    return { ...counted, shown: code === 0 ? null : `${said}${complaint}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @returns the operations that Schemathesis does not call */
export function leftOut(requests: number, seed: number): string[] {
  const chance = chanceOf(seed, 0)
  const drawn = operations.filter(() => chance.below(requestsToAll) >= requests).map(({ id }) => id)
  return [...new Set([...drawn, ...calledLast])]
}
