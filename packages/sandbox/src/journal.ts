// The append-only journal behind the state: one JSON line for all changes of one turn of the event loop, so that a
// crash loses a whole operation or nothing of it. Compacted at every start.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** [table, row] stores a row; [table, id, null] removes it. */
export type JournalEntry = [table: string, row: { id: string }] | [table: string, id: string, gone: null]

export type Journal = {
  append(entry: JournalEntry): void
  /** Writes what is pending. Called before an answer goes out: nothing is promised that a restart forgets. */
  flush(): void
  close(): void
}

export const memoryJournal: Journal = { append: () => {}, flush: () => {}, close: () => {} }

const fileName = 'journal.jsonl'
const lockName = 'lock'

/** Rows a compacted line holds at most: keeps single lines far below the engine's longest string. */
const rowsPerLine = 200

/** Every entry in the directory's journal, oldest first. A torn last line is dropped; any other bad line is an error. */
export const readJournal = (directory: string): JournalEntry[] => {
  const path = join(directory, fileName)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  const entries: JournalEntry[] = []
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    try {
      entries.push(...(JSON.parse(line) as JournalEntry[]))
    } catch {
      if (index === lines.length - 1) break
      throw new Error(`line ${index + 1} of ${path} is damaged: repair it or start with an empty state directory`)
    }
  }
  return entries
}

/** Replaces the journal by the given entries (the live rows) and opens it for appending. */
export const openJournal = (directory: string, live: Iterable<JournalEntry>): Journal => {
  const path = join(directory, fileName)
  compact(path, live)
  const file = openSync(path, 'a', 0o600)
  let pending: JournalEntry[] = []
  let timer: NodeJS.Immediate | undefined

  const flush = () => {
    if (timer) clearImmediate(timer)
    timer = undefined
    if (pending.length === 0) return
    const line = `${JSON.stringify(pending)}\n`
    pending = []
    writeSync(file, line)
  }
  return {
    append: (entry) => {
      pending.push(entry)
      timer ??= setImmediate(flush)
    },
    flush,
    close: () => {
      flush()
      closeSync(file)
      rmSync(join(directory, lockName), { force: true })
    },
  }
}

const compact = (path: string, live: Iterable<JournalEntry>): void => {
  const draft = `${path}.new`
  const file = openSync(draft, 'w', 0o600)
  let line: JournalEntry[] = []
  const write = () => {
    if (line.length > 0) writeSync(file, `${JSON.stringify(line)}\n`)
    line = []
  }
  for (const entry of live) {
    line.push(entry)
    if (line.length === rowsPerLine) write()
  }
  write()
  fsyncSync(file)
  closeSync(file)
  renameSync(draft, path)
}

/** Claims the directory for this process, since two writers would compact each other's journal away. */
export const lockState = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, lockName)
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  if (holder !== process.pid && isRunning(holder)) {
    throw new Error(`the state in ${directory} is in use by process ${holder} (if it is not a sandbox, delete ${path})`)
  }
  writeFileSync(path, String(process.pid), { mode: 0o600 })
}

const isRunning = (pid: number): boolean => {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
