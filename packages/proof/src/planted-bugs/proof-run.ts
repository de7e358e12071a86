// Runs a proof by its npm script, and tells a promise that it found broken from a proof that broke.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { processEnvironment } from '../../../server/src/platform/settings.ts'
import type { Proof } from './planted-bug.ts'
import { scratchFolder } from './tree-copy.ts'

export type ProofRun = {
  passed: boolean
  /** Those that the proof names; none unless it judged and failed. */
  faults: readonly string[]
  /** How the proof ended. */
  summary: string
}

/** @throws AbortError when the signal comes */
export async function runProof(
  root: string,
  { script, args }: Proof,
  { gitDirectory, signal }: { gitDirectory: string; signal: AbortSignal },
): Promise<ProofRun> {
  signal.throwIfAborted()
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: root,
    env: { ...processEnvironment(), TMPDIR: join(root, scratchFolder), GIT_DIR: gitDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // in a process group, which is ended as a whole
  })
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGTERM'))
  const tooLate = setTimeout(end, proofMsMax)
  signal.addEventListener('abort', end)
  try {
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    signal.throwIfAborted()
    return judge(script, { code, stdout, stderr })
  } finally {
    clearTimeout(tooLate)
    signal.removeEventListener('abort', end)
  }
}

// The longest proof of the list takes a few minutes, and a bug may make several conditions wait.
const proofMsMax = 20 * 60_000

/** A proof that judged says so: by a fault on standard error that begins with its name, or by JSON as the last line. */
export function judge(script: string, end: { code: number | null; stdout: string; stderr: string }): ProofRun {
  const { code, stdout, stderr } = end
  const name = script.replace(/^proof:/, '')
  const faults = stderr.split('\n').filter((line) => line.startsWith(`${name}: `) || line.startsWith(`${script}: `))
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  const judged = code === 1 && (faults.length > 0 || isJson(last))
  const summary = code === 0 ? 'passes' : `ends with ${code}: ${faults[0] ?? stderr.trim().split('\n').at(-1) ?? ''}`
  return { passed: code === 0, faults: judged ? (faults.length > 0 ? faults : [last]) : [], summary }
}

function isJson(line: string): boolean {
  try {
    return line.startsWith('{') && typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
