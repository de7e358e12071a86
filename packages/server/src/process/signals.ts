// Requests to stop the process: signals, and the end of the npm that launched it.

import { readFileSync } from 'node:fs'
import { processEnvironment } from '../platform/settings.ts'

export type StopCause = NodeJS.Signals | 'launcher ended'

// One Ctrl-C can arrive twice within milliseconds: from the terminal, and passed on by npm.
const repeatMs = 500
const lookPeriodMs = 250

/**
 * Resolves at the first request to stop: SIGINT, SIGTERM, SIGHUP (the terminal was closed), or the end of the npm that
 * launched the process. A second SIGINT or SIGTERM ends the process immediately.
 */
export function stopRequested(): Promise<StopCause> {
  // A closed terminal rejects every line. Without listeners, that would end the process before its shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return new Promise((resolve) => {
    let requestedAtMs: number | null = null
    const stop = (cause: StopCause): void => {
      requestedAtMs ??= performance.now()
      resolve(cause)
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (requestedAtMs !== null && performance.now() - requestedAtMs > repeatMs) process.exit(130)
        stop(signal)
      })
    process.on('SIGHUP', stop)
    watchLauncher(() => stop('launcher ended'))
  })
}

/**
 * npm passes SIGTERM to the shell between npm and this process, which ends without passing it on; an npm that is killed leaves
 * that shell waiting. So both are watched. Without npm every signal arrives here, and a process may outlive its parent.
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

/** @returns null where the system has no /proc */
function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return null
  }
}
