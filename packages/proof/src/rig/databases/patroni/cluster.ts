// PostgreSQL with a synchronous standby: two hosts under Patroni, etcd, and HAProxy before them, all on loopback.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../ports.ts'
import {
  type Home,
  openHome,
  type Program,
  requireProgram,
  runProgram,
  startProgram,
  untilProgram,
} from '../../programs.ts'
import { programOf } from '../debian.ts'
import { writeExample } from './example-files.ts'
import { makeNode, type PatroniNode } from './node.ts'

export type By = 'hosts' | 'haproxy'

export type Cluster = AsyncDisposable & {
  nodes: readonly PatroniNode[]
  /** The address for DATABASE_URL. */
  url(by: By): string
  /** @returns the node that is primary, as soon as there is one; not `but` */
  primary(but?: PatroniNode): Promise<PatroniNode>
  /** Waits until the standby has all that the primary has, and commits wait for it. */
  untilSynchronous(): Promise<void>
}

const startMsMax = 90_000
const pollMs = 100
const username = 'causeway'

export async function openCluster(): Promise<Cluster> {
  requireProgram('patroni', 'patroni')
  requireProgram('haproxy', 'haproxy')
  await using stack = new AsyncDisposableStack()
  const home = stack.use(openHome())
  const etcd = await startEtcd(home, stack)
  const secret = (): string => randomBytes(12).toString('hex')
  const access = { etcd, superuser: secret(), replication: secret(), rewind: secret() }
  const nodes = [await makeNode(home, 'db1', access), await makeNode(home, 'db2', access)]
  stack.defer(() => {
    for (const node of nodes) node.kill()
  })
  const [first, second] = nodes
  if (!first || !second) throw new Error('a node lacks')
  first.start()
  await untilProgram('was primary', { ...first, name: 'Patroni of db1' }, () => first.isPrimary(), startMsMax)
  second.start()

  const primary = async (but?: PatroniNode): Promise<PatroniNode> => {
    const deadline = performance.now() + startMsMax
    while (performance.now() < deadline) {
      for (const node of nodes) if (node !== but && node.isRunning() && (await node.isPrimary())) return node
      await delay(pollMs)
    }
    throw new Error(
      `there is no primary after ${startMsMax} ms:\n${nodes.map((node) => node.log().slice(-2_000)).join('\n')}`,
    )
  }
  const untilSynchronous = async (): Promise<void> => {
    const leader = await primary()
    const isSynchronous = async (): Promise<boolean> =>
      (await leader.members()).some(({ role, state }) => role === 'sync_standby' && /running|streaming/.test(state))
    await untilProgram(
      'had a synchronous standby',
      { ...leader, name: `Patroni of ${leader.name}` },
      isSynchronous,
      startMsMax,
    )
  }
  await untilSynchronous()
  const password = await createOwner(first, access.superuser)
  const proxyPort = await startHaproxy(home, stack, [first, second], access.superuser)
  const addresses = { hosts: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','), haproxy: `127.0.0.1:${proxyPort}` }
  const owned = stack.move()
  return {
    nodes,
    url: (by) =>
      `postgresql://${username}:${password}@${addresses[by]}/${username}${by === 'hosts' ? '?target_session_attrs=read-write' : ''}`,
    primary,
    untilSynchronous,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** @returns the address of its clients */
async function startEtcd(home: Home, stack: AsyncDisposableStack): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`)
  const args = [
    ...['--name', 'etcd1', '--data-dir', home.folder('etcd'), '--log-level', 'warn'],
    ...['--listen-client-urls', `${client}`, '--advertise-client-urls', `${client}`],
    ...['--listen-peer-urls', `${peer}`, '--initial-advertise-peer-urls', `${peer}`],
    ...['--initial-cluster', `etcd1=${peer}`, '--enable-v2'], // patroni.yml says why
  ]
  const etcd: Program = stack.use(startProgram('etcd', { file: requireProgram('etcd', 'etcd-server'), args }))
  await untilProgram('was healthy', etcd, async () => (await fetch(`${client}/health`)).status === 200)
  return `${client}`.replace('http://', '')
}

/** @returns the port that leads to the primary */
async function startHaproxy(
  home: Home,
  stack: AsyncDisposableStack,
  [first, second]: readonly [PatroniNode, PatroniNode],
  superuser: string,
): Promise<number> {
  const port = await freePort()
  const file = join(home.path, 'haproxy.cfg')
  writeExample('haproxy.cfg', file, {
    '127.0.0.1:5000': `127.0.0.1:${port}`,
    '10.0.0.11:5432 check port 8008': `127.0.0.1:${first.port} check port ${first.restPort}`,
    '10.0.0.12:5432 check port 8008': `127.0.0.1:${second.port} check port ${second.restPort}`,
  })
  const haproxy = stack.use(
    startProgram('HAProxy', { file: requireProgram('haproxy', 'haproxy'), args: ['-db', '-f', file] }),
  )
  // Until its first checks HAProxy takes both for primaries, by turns.
  const write = (): Promise<string> => runSql(port, superuser, 'create temporary table writable ()')
  await untilProgram('led to the primary', haproxy, () =>
    write()
      .then(write)
      .then(() => true),
  )
  return port
}

/** The login of Causeway and its database, as its documentation asks for. @returns the login's password */
async function createOwner({ port }: PatroniNode, superuser: string): Promise<string> {
  const password = randomBytes(12).toString('hex')
  await runSql(port, superuser, `create role ${username} login createrole password '${password}'`)
  await runSql(port, superuser, `create database ${username} owner ${username}`)
  return password
}

function runSql(port: number, superuser: string, sql: string): Promise<string> {
  return runProgram({
    file: programOf('psql'),
    args: ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-c', sql],
    env: { PGPASSWORD: superuser },
  })
}
