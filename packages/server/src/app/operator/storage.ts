// Storage status for the operator: what is kept, for how long, and its size.

import type { Core } from '../../platform/core.ts'
import { weekNamed } from '../../platform/postgres/partitions/partitions.ts'
import { isoTime } from '../../platform/values/time.ts'
import { listTables, readDatabaseBytes, type TableRow } from './storage.store.ts'

export async function readStorageStatus(deps: Pick<Core, 'db' | 'config'>) {
  const { bytes, tables } = await deps.db.read(async (query) => ({
    bytes: await readDatabaseBytes(query),
    tables: await listTables(query),
  }))
  const { eventRetentionDays, requestLogDays } = deps.config
  const byTable = Map.groupBy(tables, ({ name, parent }) => parent ?? name)
  return {
    bytes,
    retention: { eventDays: eventRetentionDays, requestLogDays },
    tables: [...byTable].map(([name, parts]) => tableView(name, parts)).sort((a, b) => b.bytes - a.bytes),
    partitions: tables.flatMap(partitionView),
  }
}

function tableView(name: string, parts: readonly TableRow[]) {
  const counted = parts.flatMap(({ rows }) => (rows === null ? [] : [rows]))
  return {
    name,
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    rows: counted.length === 0 ? null : Math.round(counted.reduce((sum, rows) => sum + rows, 0)),
    partitions: parts[0]?.parent === null ? 0 : parts.length,
  }
}

/** The rows of a week; the default partition contains rows that belong to no created week. */
function partitionView({ name, parent, bytes, rows }: TableRow) {
  if (parent === null) return []
  const day = name.slice(parent.length + 1)
  const week = /^\d{8}$/.test(day) ? weekNamed(day) : null
  return [
    {
      table: parent,
      from: week && isoTime(new Date(week.fromMs)),
      to: week && isoTime(new Date(week.toMs)),
      bytes,
      rows: rows === null ? null : Math.round(rows),
    },
  ]
}
