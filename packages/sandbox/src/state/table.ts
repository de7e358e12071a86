// A typed table of rows, in memory and, with a database, in its file. Rows are plain JSON and are replaced, never mutated, so
// that "before" and "after" of a change can be compared.
import type { Database } from './database.ts'

export type Table<Row extends { id: string }> = {
  get(id: string): Row | undefined
  put(row: Row): Row
  remove(id: string): void
  /** Returns every row, oldest first. A replaced row keeps its place. */
  all(): Row[]
  oldest(): Row | undefined
  readonly size: number
}

export const openTable = <Row extends { id: string }>(name: string, database: Database | null): Table<Row> => {
  // The only place where a row's type is asserted: each table is written through this function alone.
  const stored = (database?.read(name) ?? []) as Row[]
  const rows = new Map(stored.map((row) => [row.id, row]))
  return {
    get: (id) => rows.get(id),
    put: (row) => {
      rows.set(row.id, row)
      database?.write(name, row)
      return row
    },
    remove: (id) => {
      if (rows.delete(id)) database?.remove(name, id)
    },
    all: () => [...rows.values()],
    oldest: () => rows.values().next().value,
    get size() {
      return rows.size
    },
  }
}
