// The file behind the state: one SQLite table of rows as JSON.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Database = {
  /** Reads the rows of a table, oldest first. */
  read(table: string): { id: string }[]
  write(table: string, row: { id: string }): void
  remove(table: string, id: string): void
  /** Commits the changes since the last commit. */
  commit(): void
  close(): void
}

const fileName = 'state.sqlite'

// Exclusive: two processes with copies of the rows in memory would overwrite each other's changes.
// Synchronous off: a commit survives kill -9 of the process, but not of the machine.
const schema = `
  PRAGMA locking_mode = exclusive;
  PRAGMA journal_mode = wal;
  PRAGMA synchronous = off;
  PRAGMA secure_delete = on;
  CREATE TABLE IF NOT EXISTS rows (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL, id TEXT NOT NULL, row TEXT NOT NULL, UNIQUE (name, id)
  );`

/**
 * Opens the database in `directory` and makes both if they are missing. All changes of one turn of the event loop are
 * one transaction, so a crash loses a whole operation or nothing of it.
 * @throws Error when another process has the database open, or the file is damaged
 */
export const openDatabase = (directory: string): Database => {
  const file = openFile(directory)
  const [begin, commitAll] = [file.prepare('BEGIN'), file.prepare('COMMIT')]
  const select = file.prepare('SELECT row FROM rows WHERE name = ? ORDER BY place')
  const upsert = file.prepare(`
    INSERT INTO rows (name, id, row) VALUES (?, ?, ?) ON CONFLICT (name, id) DO UPDATE SET row = excluded.row`)
  const erase = file.prepare('DELETE FROM rows WHERE name = ? AND id = ?')
  let endOfTurn: NodeJS.Immediate | undefined

  const change = (work: () => void) => {
    if (!endOfTurn) {
      begin.run()
      endOfTurn = setImmediate(commit)
    }
    work()
  }
  const commit = () => {
    if (!endOfTurn) return
    clearImmediate(endOfTurn)
    endOfTurn = undefined
    commitAll.run()
  }
  return {
    read: (table) => select.all(table).map(({ row }) => JSON.parse(String(row))),
    write: (table, row) => change(() => upsert.run(table, row.id, JSON.stringify(row))),
    remove: (table, id) => change(() => erase.run(table, id)),
    commit,
    close: () => {
      commit()
      file.close()
    },
  }
}

const openFile = (directory: string): DatabaseSync => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, fileName)
  closeSync(openSync(path, 'a', 0o600))
  const file = new DatabaseSync(path)
  try {
    file.exec(schema)
    return file
  } catch (error) {
    file.close()
    const reason = error instanceof Error ? error.message : String(error)
    if (reason.includes('locked')) throw new Error(`the state in ${directory} is in use by another process`)
    throw new Error(`${path} is damaged: repair it or start with an empty state directory (${reason})`)
  }
}
