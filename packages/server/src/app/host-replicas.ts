// Finds replicas of this host that have died. A replica listens on a socket in the state folder. The system refuses a
// connection to the socket of a dead process, so the next start knows for certain, without waiting for a lease.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { endLeases } from '../webhooks/delivery/lanes.store.ts'
import type { Delivers } from '../webhooks/delivery/ports.ts'

/** unix(7): `sun_path` has 108 bytes, on some systems 104. Linux reaches a folder by its descriptor, however long its path is. */
const pathBytesMax = 100
const suffix = '.sock'

export type HostReplica = {
  /** Replicas that died on this host and were not found before. */
  dead: string[]
  close(): Promise<void>
}

/** A successor immediately resends the deliveries that a dead replica of this host held. */
export async function takeOverOnHost({ config, db, localRelay, log }: Delivers): Promise<HostReplica | null> {
  const host = await joinHost(config.home, localRelay.owner).catch((err: unknown) => {
    log.debug({ err }, 'replica socket not created, its lease must expire if it dies')
    return null
  })
  if (host && host.dead.length > 0) {
    log.info({ replicas: host.dead }, 'lanes of dead replicas of this host taken over')
    await db.statement((query) => endLeases(query, host.dead))
  }
  return host
}

/**
 * Registers this replica on its host.
 * @param home the state folder. Without a state folder, or with a path too long for a socket on systems other than
 * Linux, the leases of dead replicas must expire
 */
export async function joinHost(home: string, owner: string): Promise<HostReplica> {
  const folder = join(home, 'replicas')
  // The socket of another host, on a shared file system, would also refuse.
  const prefix = `${await hostMark()}-`
  await mkdir(folder, { mode: 0o700 }).catch(unlessThere)
  await using opened = await open(folder)
  const reached = process.platform === 'linux' ? `/proc/self/fd/${opened.fd}` : folder
  const path = join(reached, `${prefix}${owner}${suffix}`)
  if (Buffer.byteLength(path) > pathBytesMax) return { dead: [], close: async () => {} }
  const dead: string[] = []
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(suffix) || !(await refuses(join(reached, name)))) continue
    await rm(join(folder, name), { force: true })
    dead.push(name.slice(prefix.length, -suffix.length))
  }
  const server = createServer((socket) => socket.destroy()).unref()
  server.listen(path)
  await once(server, 'listening')
  return {
    dead,
    async close() {
      server.close()
      await once(server, 'close')
      // The listener removes its socket by the path that it was given, which ended with the descriptor.
      await rm(join(folder, `${prefix}${owner}${suffix}`), { force: true })
    },
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** ID of the running kernel if available, which containers of one machine share. */
async function hostMark(): Promise<string> {
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname())
  return createHash('sha256').update(bootId).digest('hex').slice(0, 8)
}

async function refuses(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}
