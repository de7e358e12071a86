// Cleanup for a proof that ends before its stack holds everything: by a signal during a start, or by an uncaught error.

import { readFileSync } from 'node:fs'

const cleanUps = new Set<() => void>()

/** Runs `clean` when the process ends, the latest first. @returns takes it back */
export function atProcessEnd(clean: () => void): () => void {
  cleanUps.add(clean)
  return () => void cleanUps.delete(clean)
}

process.on('exit', () => {
  for (const child of childrenOf(process.pid)) killIfThere(child)
  for (const clean of [...cleanUps].reverse()) {
    try {
      clean()
    } catch {
      // The rest is cleaned all the same.
    }
  }
})

/** Children of a process, on Linux. Listed before it dies: afterwards they are nobody's. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
