// Other load of the machine during a measurement. Linux only: elsewhere there are no values.

import { existsSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { ticksOfTree, ticksPerSecond } from '../processor-time.ts'

/** In processors: 0.5 is half of one for the whole time. `stolen`: given to other guests by the host of this machine. */
export type Besides = { others: number; stolen: number }

/** Begins to watch. @returns a function that tells what the machine has done besides since then; null where that is unknown */
export function watchMachine(): () => Besides | null {
  if (!existsSync('/proc/stat')) return () => null
  const before = readProcessors()
  return () => {
    const after = readProcessors()
    const ticks = ((after.atMs - before.atMs) / 1_000) * ticksPerSecond
    const busy = after.busy - before.busy - (after.own - before.own)
    return { others: Math.max(0, busy) / ticks, stolen: (after.stolen - before.stolen) / ticks }
  }
}

function readProcessors() {
  // proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal.
  const fields = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = fields
  const busy = user + nice + system + irq + softirq
  return { atMs: performance.now(), busy, stolen, own: ticksOfTree(process.pid) }
}
