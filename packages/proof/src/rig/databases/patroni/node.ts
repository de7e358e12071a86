// One PostgreSQL host under Patroni, by deploy/patroni/patroni.yml: it dies as a whole, and comes back.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { atProcessEnd, childrenOf, killIfThere } from '../../exit.ts'
import { freePort } from '../../ports.ts'
import { type Home, type Program, requireProgram, startProgram } from '../../programs.ts'
import { programOf } from '../debian.ts'
import { type Replacements, writeExample } from './example-files.ts'

export type Member = { name: string; role: string; state: string }

export type PatroniNode = {
  name: string
  port: number
  restPort: number
  start(): void
  /** SIGKILL to Patroni, the postmaster and all it started, as a host dies. */
  kill(): void
  /** SIGSTOP to the same: the host hangs, and its connections stay open. */
  freeze(): void
  thaw(): void
  isRunning(): boolean
  /** Patroni's own word: it holds the leader's lock, and its PostgreSQL takes writes. */
  isPrimary(): Promise<boolean>
  /** The cluster as this node sees it. */
  members(): Promise<Member[]>
  log(): string
}

export type ClusterAccess = { etcd: string; superuser: string; replication: string; rewind: string }

const askMsMax = 2_000

export async function makeNode(home: Home, name: string, access: ClusterAccess): Promise<PatroniNode> {
  const [port, restPort] = [await freePort(), await freePort()]
  const folder = home.folder(name)
  const dataFolder = join(folder, 'data')
  const configFile = join(home.path, `${name}.yml`)
  writeExample('patroni.yml', configFile, {
    'name: db1': `name: ${name}`,
    '10.0.0.11:8008': `127.0.0.1:${restPort}`,
    '10.0.0.11:5432': `127.0.0.1:${port}`,
    '/var/lib/postgresql/15/causeway': dataFolder,
    '/var/lib/postgresql/patroni.pgpass': join(folder, 'pgpass'),
    '/var/run/postgresql': folder,
    ...replacementsFor(access),
  })
  const patroni = requireProgram('patroni', 'patroni')
  let running: Program | null = null

  const all = (): number[] => {
    const postmaster = postmasterOf(dataFolder)
    return [
      ...(running?.isRunning() ? [running.pid] : []),
      ...(postmaster ? [postmaster, ...childrenOf(postmaster)] : []),
    ]
  }
  const ask = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${restPort}${path}`, { signal: AbortSignal.timeout(askMsMax) })
  const kill = (): void => {
    for (const pid of all()) killIfThere(pid)
  }
  atProcessEnd(kill) // PostgreSQL outlives its Patroni
  return {
    name,
    port,
    restPort,
    start() {
      running = startProgram(`Patroni of ${name}`, { file: patroni, args: [configFile], env: { HOME: folder } })
    },
    kill,
    freeze() {
      for (const pid of all()) process.kill(pid, 'SIGSTOP')
    },
    thaw() {
      for (const pid of all()) process.kill(pid, 'SIGCONT')
    },
    isRunning: () => running?.isRunning() ?? false,
    async isPrimary() {
      const response = await ask('/primary').catch(() => null)
      await response?.arrayBuffer()
      return response?.status === 200
    },
    async members() {
      const answer = (await (await ask('/cluster')).json()) as { members: Member[] }
      return answer.members
    },
    log: () => running?.log() ?? '',
  }
}

/** The replacements that are the same on each host. */
function replacementsFor({ etcd, superuser, replication, rewind }: ClusterAccess): Replacements {
  return {
    '10.0.0.10:2379': etcd,
    '10.0.0.0/24': '127.0.0.1/32',
    '/usr/lib/postgresql/15/bin': programOf('postgres').replace(/\/postgres$/, ''),
    'change-me-superuser': superuser,
    'change-me-replication': replication,
    'change-me-rewind': rewind,
  }
}

/** @returns the process id that PostgreSQL wrote down, while that process is one of PostgreSQL */
function postmasterOf(dataFolder: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0])
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataFolder) ? pid : null
  } catch {
    return null
  }
}
