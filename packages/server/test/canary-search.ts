// Looks for identity data where it must not be: in every file of a database server, its log of changes included. All bodies
// of the tests carry marks that nothing else holds.

import type { Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConnectionOptions } from '../src/platform/postgres/client.ts'
import { openClient } from '../src/platform/postgres/client.ts'

/** The prefix of all marked texts. */
export const canaryPrefix = 'ZqCanary'

/**
 * Marked texts: those of `submit-kyc-privacy`, random and in base64, and the image that replaces identity documents.
 */
const canaries = /ZqCanary|Zq[0-9a-f]{12}|WnFDYW5hcn|iVBORw0KGgoAAAANSUhEUgAAAUAA/g

export type Searched = { files: number; bytes: number; hits: string[] }

/**
 * Searches every file of a database server, its log of changes included.
 * @param pattern global
 * @returns each hit as `file: text`
 */
export async function searchDatabaseFiles(connection: ConnectionOptions, pattern = canaries): Promise<Searched> {
  const { query, close } = await openClient(connection, { applicationName: 'canary search' })
  try {
    await query.unsafe('checkpoint') // what is only in memory yet goes into the files
    const [row] = await query<{ dataDirectory: string }[]>`show data_directory`
    return await searchFiles(row?.dataDirectory ?? '', pattern)
  } finally {
    await close()
  }
}

/** Searches every file below a folder. @param pattern global */
export async function searchFiles(directory: string, pattern = canaries): Promise<Searched> {
  const found: Searched = { files: 0, bytes: 0, hits: [] }
  // One for all files: most are of some kilobytes, and a new buffer of this size is filled with zeros.
  const buffer = Buffer.alloc(pieceBytes + overlapBytes)
  for (const entry of await entriesBelow(directory)) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const file = await open(path).catch(() => null) // the server may just have removed it
    if (file === null) continue
    await using _closing = { [Symbol.asyncDispose]: () => file.close() }
    found.files += 1
    for await (const piece of piecesOf(file, buffer)) {
      found.bytes += piece.length
      for (const [text] of piece.toString('latin1').matchAll(pattern)) found.hits.push(`${path}: ${text}`)
    }
  }
  return found
}

const listingsMax = 20

/** Lists again if a folder was removed while it was listed: another test drops its database. */
async function entriesBelow(directory: string): Promise<Dirent[]> {
  for (let listing = 1; ; listing++) {
    try {
      return await readdir(directory, { withFileTypes: true, recursive: true })
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' || path === directory || listing === listingsMax) throw error
    }
  }
}

const pieceBytes = 8 * 1024 * 1024
const overlapBytes = 128

/** Each begins with the end of the one before, so that nothing is missed between two. */
async function* piecesOf(file: FileHandle, buffer: Buffer): AsyncGenerator<Buffer> {
  let kept = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, kept, pieceBytes)
    if (bytesRead === 0) return
    yield buffer.subarray(0, kept + bytesRead)
    const end = kept + bytesRead
    const next = Math.min(overlapBytes, end)
    buffer.copyWithin(0, end - next, end)
    kept = next
  }
}
