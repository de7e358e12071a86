// Runs the programs of PostgreSQL: as the right user, in a bare environment, with a deadline.
import { execFile, spawnSync } from 'node:child_process'
import type { Account } from './place.ts'

// A minimal environment: PGDATA, PGPORT, LD_PRELOAD and our locale must not reach the server, and its messages must be English.
const environment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Working directory "/": ours may be closed to the server's user, and initdb gives up where it cannot look. */
export function spawnOptions(account: Account | null) {
  return { cwd: '/', env: environment, windowsHide: true, ...(account ?? {}) }
}

export type Outcome = { ok: boolean; output: string; error: Error | null }

/** Never rejects: the caller decides what a failure means. */
export function run(file: string, args: string[], account: Account | null, timeoutMs: number): Promise<Outcome> {
  const options = { ...spawnOptions(account), timeout: timeoutMs, maxBuffer: 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr}`.trim(), error })
    })
  })
}

/** Blocks until the program ends: for an exit handler. */
export function runNow(file: string, args: string[], account: Account | null, timeoutMs: number): void {
  spawnSync(file, args, { ...spawnOptions(account), timeout: timeoutMs, stdio: 'ignore' })
}

export function lastLines(text: string, count = 12): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
