// Processes that stand for other machines: they take little of the processor time that the server and its database need.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A tenth of the share of an ordinary process. At 19 a busy machine runs no attack at all. */
const niceness = 10

/**
 * Where Linux shares the processor between sessions, it compares the priorities of processes inside a session only (sched(7),
 * autogroup), and each process of PostgreSQL leads a session. So the session's priority is lowered, too.
 * @param pid of a process that leads a session
 */
export function lowerPriority(pid: number): void {
  setPriority(pid, niceness)
  const ofSession = `/proc/${pid}/autogroup`
  // Empty while the kernel shares the processor between processes only.
  if (existsSync(ofSession) && readFileSync(ofSession, 'utf8') !== '') writeFileSync(ofSession, String(niceness))
}
