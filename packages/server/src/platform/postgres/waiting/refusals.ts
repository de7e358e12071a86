// Errors of PostgreSQL that mean "writes have no room or no permission", each with a remedy.

import { endsConnection, type ServerError } from '../session.ts'

/** `text`: PostgreSQL's own words, which name files, roles and limits and hold nothing of a caller. */
export type Refusal = { sqlState: string; text: string; remedy: string }

const remedies: Readonly<Record<string, string>> = {
  '53100': 'Free space on the disk of PostgreSQL, or enlarge it.',
  '53200': 'Give PostgreSQL more memory, or lower work_mem or max_connections.',
  '53300': 'Raise max_connections of PostgreSQL or the limit of the role, or lower DATABASE_POOL_MAX.',
  '53400': 'Raise the limit of PostgreSQL that the text names.',
  '25006': 'Point DATABASE_URL to the primary, or end the read-only mode of PostgreSQL.',
  '28P01': 'Set the password in DATABASE_URL to the password of the role.',
  '3D000': 'Set DATABASE_URL to a database that exists.',
}
const otherRemedies: readonly (readonly [start: string, remedy: string])[] = [
  ['28', 'Allow this role and address in pg_hba.conf of PostgreSQL.'],
  ['58', 'Check the disk and the filesystem of PostgreSQL, and its log.'],
]
const otherwise = 'Check the log of PostgreSQL.'

/**
 * Classes 53 (resources) and 58 (system), a refused log-in, no such database, and read-only. A disk that is full also ends a new
 * connection by XX000: a file that each connection writes at its start has no room.
 */
export function refusalOf(error: ServerError): Refusal | null {
  const { code: sqlState = 'XX000', message: text } = error
  const isRefusal = /^(28|3D|53|58)|^25006$/.test(sqlState) || (sqlState === 'XX000' && endsConnection(error))
  if (!isRefusal) return null
  const remedy = remedies[sqlState] ?? otherRemedies.find(([start]) => sqlState.startsWith(start))?.[1] ?? otherwise
  return { sqlState, text, remedy }
}

const pauseMs = 60_000

/** Creates a function that reports one refusal per kind and minute: thousands a second have one cause. */
export function onceAMinute(
  note: (refusal: Refusal) => void,
  now: () => number = () => performance.now(),
): (refusal: Refusal) => void {
  const notedAtMs = new Map<string, number>()
  return (refusal) => {
    const nowMs = now()
    if (nowMs - (notedAtMs.get(refusal.sqlState) ?? Number.NEGATIVE_INFINITY) < pauseMs) return
    notedAtMs.set(refusal.sqlState, nowMs)
    note(refusal)
  }
}
