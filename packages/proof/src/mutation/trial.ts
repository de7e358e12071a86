// Runs a test file in a separate process, with a mutant switched on.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processEnvironment } from '../../../server/src/platform/settings.ts'
import { scratchFolder } from '../planted-bugs/tree-copy.ts'
import { killIfThere } from '../rig/exit.ts'
import { activeMutant } from './mutants.ts'

export type TestEnd = 'passed' | 'failed' | 'timeout'

/**
 * Milliseconds for a test file to drop its database after its first failure. Files next to the sources have none, or a small one.
 */
const endMs = (file: string): number => (file.includes('/src/') ? 0 : 3_000)

/** @param file a test file, or a script with its arguments */
export async function runTestFile(
  root: string,
  file: string,
  {
    env = {},
    args = [],
    msMax,
    signal,
  }: { env?: NodeJS.ProcessEnv; args?: string[]; msMax: number; signal: AbortSignal },
): Promise<TestEnd> {
  signal.throwIfAborted()
  const all = ['--conditions=@causeway/source', '--test-force-exit', '--test-reporter=tap', ...args, ...file.split(' ')]
  const child = spawn(process.execPath, all, {
    cwd: root,
    // Node runs no tests inside of tests.
    env: { ...processEnvironment(), NODE_TEST_CONTEXT: undefined, TMPDIR: join(root, scratchFolder), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true, // in a process group, which is ended as a whole
  })
  const end = (): void => void (child.pid !== undefined && killIfThere(-child.pid))
  let isLate = false
  let hasFailed = false
  let ending: NodeJS.Timeout | undefined
  const late = setTimeout(() => {
    isLate = true
    end()
  }, msMax)
  signal.addEventListener('abort', end)
  child.stdout.on('data', (chunk: Buffer) => {
    if (hasFailed || !/^\s*not ok /m.test(chunk.toString())) return
    hasFailed = true
    ending = setTimeout(end, endMs(file))
  })
  try {
    const [code] = await once(child, 'close')
    signal.throwIfAborted()
    if (hasFailed) return 'failed'
    return isLate ? 'timeout' : code === 0 ? 'passed' : 'failed'
  } finally {
    clearTimeout(late)
    clearTimeout(ending)
    signal.removeEventListener('abort', end)
  }
}

const cleanMsMax = 180_000

export type CleanRun = { end: TestEnd; ms: number; reached: ReadonlySet<string> }

/** Runs a test file without a mutant. @returns the mutants with code that the test reaches */
export async function runClean(root: string, file: string, signal: AbortSignal): Promise<CleanRun> {
  const coverage = join(root, scratchFolder, `${file.replaceAll('/', '-')}.json`)
  const began = performance.now()
  const hook = new URL(`coverage.ts?file=${encodeURIComponent(coverage)}`, import.meta.url)
  const end = await runTestFile(root, file, { args: [`--import=${hook}`], msMax: cleanMsMax, signal })
  const ids: string[] = end === 'passed' ? JSON.parse(readFileSync(coverage, 'utf8')) : []
  return { end, ms: performance.now() - began, reached: new Set(ids) }
}

export function runWithMutant(
  root: string,
  file: string,
  mutant: string,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<TestEnd> {
  return runTestFile(root, file, { env: { [activeMutant]: mutant }, msMax: 3 * ms + 5_000, signal })
}
