// Where the embedded server listens: a unix socket only its owner can reach, loopback on Windows.
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Place } from './place.ts'

/** `host` is a socket directory, or 127.0.0.1 on Windows. */
export type Endpoint = { host: string; port: number }

const socketPathBytesMax = 100 // the kernel's limit is 108 on Linux and 104 on macOS
const socketDirectoryPrefix = 'causeway-socket-'
const unixPort = 5432 // only a part of the socket's name
const socketName = `.s.PGSQL.${unixPort}`

/** Reads postmaster.pid, which exists while a server runs and after it was killed. */
export function readEndpoint(data: string): Endpoint | null {
  const [, , , port, socketDirectory] = postmasterLines(data)
  if (!port || socketDirectory === undefined) return null // still being written
  return { host: socketDirectory.trim() || '127.0.0.1', port: Number(port) }
}

/** Reads the process id in postmaster.pid: for a question, never for a signal, because ids are used again. */
export function readPostmasterId(data: string): number | null {
  return Number(postmasterLines(data)[0]) || null
}

function postmasterLines(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** The socket is next to the data, which only we can enter, unless that path is too long for a socket. */
export async function chooseEndpoint(place: Place): Promise<Endpoint> {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: await freePort() }
  const fits = (directory: string) => Buffer.byteLength(join(directory, socketName)) < socketPathBytesMax
  let host = join(place.cluster, 'socket')
  if (fits(host)) {
    mkdirSync(host, { recursive: true, mode: 0o700 })
  } else {
    const base = fits(join(tmpdir(), `${socketDirectoryPrefix}XXXXXX`)) ? tmpdir() : '/tmp'
    host = mkdtempSync(join(base, socketDirectoryPrefix))
  }
  chmodSync(host, 0o700)
  if (place.account) chownSync(host, place.account.uid, place.account.gid)
  return { host, port: unixPort }
}

/** Removes a directory made for a socket alone, never through a link: a file the server's user writes may have named it. */
export function removeSocketDirectory(directory: string, place: Place): void {
  if (!basename(directory).startsWith(socketDirectoryPrefix)) return
  const info = lstatSync(directory, { throwIfNoEntry: false })
  if (!info?.isDirectory() || info.uid !== (place.account?.uid ?? process.getuid?.())) return
  // A killed server leaves both.
  for (const name of [socketName, `${socketName}.lock`]) rmSync(join(directory, name), { force: true })
  rmdirSync(directory)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
