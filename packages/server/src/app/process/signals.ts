// How a person, a supervisor, or the end of what launched us tells the process to stop.

import { readFileSync } from 'node:fs'
import { processEnvironment } from '../../platform/config.ts'

export type StopCause = NodeJS.Signals | 'launcher ended'

// One Ctrl-C can arrive twice within milliseconds: from the terminal, and passed on by npm.
const repeatMs = 500
const lookPeriodMs = 250

/**
 * Resolves when the process is told to stop: by SIGINT, SIGTERM, by SIGHUP (the terminal was closed), or because the npm that
 * launched it has ended. A second SIGINT or SIGTERM ends the process at once.
 */
export function untilToldToStop(): Promise<StopCause> {
  // A terminal that was closed refuses every line, and what is still to be stopped must be stopped all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return new Promise((resolve) => {
    let toldAtMs: number | null = null
    const stop = (cause: StopCause): void => {
      toldAtMs ??= performance.now()
      resolve(cause)
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (toldAtMs !== null && performance.now() - toldAtMs > repeatMs) process.exit(130)
        stop(signal)
      })
    process.on('SIGHUP', stop)
    watchLauncher(() => stop('launcher ended'))
  })
}

/**
 * npm passes SIGTERM to the shell between us, which ends without a word to us; an npm that is killed leaves that shell waiting.
 * So both are watched. Without npm every signal comes here, and a process may outlive its parent on purpose.
 */
function watchLauncher(onEnd: () => void): void {
  if (processEnvironment()['npm_lifecycle_event'] === undefined) return
  const shell = process.ppid
  const npm = parentOf(shell)
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return
    clearInterval(timer)
    onEnd()
  }, lookPeriodMs)
  timer.unref()
}

/** @returns null where the system does not tell it in /proc */
function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return null
  }
}
