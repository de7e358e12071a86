// Processor time, memory and wake-ups of processes, as /proc counts them. Linux only.

import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ, the same on every Linux that Node runs on. */
export const ticksPerSecond = 100

export type ProcessTimes = {
  parent: number
  /** The process itself, while it runs. */
  ticks: number
  /** Of its children that have ended and that it has waited for. */
  ticksOfEnded: number
}

/** @returns null for a process that has ended */
export function readTimes(pid: number): ProcessTimes | null {
  // proc_pid_stat(5): after the name, which may hold blanks, state is field 3.
  const text = readOrNull(`/proc/${pid}/stat`)
  if (text === null) return null
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { parent: field(4), ticks: field(14) + field(15), ticksOfEnded: field(16) + field(17) }
}

/** Lists a process and all below it, with their times. */
export function readTree(root: number): Map<number, ProcessTimes> {
  const all = new Map<number, ProcessTimes>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : null
    if (times) all.set(Number(name), times)
  }
  const childrenOf = Map.groupBy(all.keys(), (pid) => all.get(pid)?.parent)
  const tree = new Map<number, ProcessTimes>()
  const add = (pid: number): void => {
    const times = all.get(pid)
    if (!times) return
    tree.set(pid, times)
    for (const child of childrenOf.get(pid) ?? []) add(child)
  }
  add(root)
  return tree
}

/** Ticks of a process and its descendants. An ended process counts for the parent that waited for it. */
export function ticksOfTree(root: number): number {
  return [...readTree(root).values()].reduce((sum, { ticks, ticksOfEnded }) => sum + ticks + ticksOfEnded, 0)
}

/** proc_pid_status(5): what of the process is in memory, in MiB. */
export function readMemoryMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readOrNull(`/proc/${pid}/status`) ?? '')?.[1]) / 1_024
}

/** proc_pid_status(5): each time one of its threads gave up the processor to wait for something. */
export function readWakeUps(pid: number): number {
  let sum = 0
  for (const thread of listOrNone(`/proc/${pid}/task`)) {
    const text = readOrNull(`/proc/${pid}/task/${thread}/status`) ?? ''
    sum += Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(text)?.[1] ?? 0)
  }
  return sum
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function listOrNone(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
