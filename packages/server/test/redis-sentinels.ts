// A Redis as Sentinel keeps it, of a test: a master, a copy of it and three Sentinels, each a real process.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisServerPath } from '../../../scripts/test-needs.ts'
import { askRedis, type RedisServer, startRedis } from './redis-server.ts'
import { freePort, until } from './until.ts'

export type RedisSentinels = AsyncDisposable & {
  /** As REDIS_URL names them. */
  url: string
  ports: readonly number[]
  /** The server that was the master first, and its copy. */
  servers: readonly [RedisServer, RedisServer]
  /** The port of the server that the Sentinels call the master. */
  masterPort(): Promise<number>
  /** Resolves when every Sentinel knows the others, the copy, and calls another port the master than the given one. */
  settled(before?: number): Promise<number>
  /** SIGKILL of all Sentinels. */
  killSentinels(): Promise<void>
}

/** A master that is silent for so long is given up. */
const downAfterMs = 1_000
/**
 * In ms; the defaults are 10 and 2 s. A master that comes back is made a copy after an INFO and four PUBLISH periods without
 * one silent second, which a full machine may not grant within half a minute.
 */
const shortPeriods = ['INFO-PERIOD', '500', 'PUBLISH-PERIOD', '500']
const name = 'mymaster'

export type Passwords = { redis: string; sentinel: string }

export async function startSentinels(passwords: Passwords = { redis: '', sentinel: '' }): Promise<RedisSentinels> {
  await using started = new AsyncDisposableStack()
  const login = passwords.redis === '' ? [] : ['--requirepass', passwords.redis, '--masterauth', passwords.redis]
  const master = started.use(await startRedis(...login))
  const [, masterPort = ''] = master.url.split('127.0.0.1:')
  const copy = started.use(await startRedis(...login, '--replicaof', '127.0.0.1', masterPort))
  // Sentinels ask a master for its copies once in ten seconds.
  const replication = () => askRedis(Number(masterPort), ['INFO', 'replication'], passwords.redis)
  await until('the copy', async () => (await replication()).includes('state=online'))
  const directory = await mkdtemp(join(tmpdir(), 'causeway-sentinels-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  const ports = [await freePort(), await freePort(), await freePort()]
  const children = await Promise.all(ports.map((port) => startSentinel({ directory, port, masterPort, passwords })))
  const killSentinels = async () => void (await Promise.all(children.map(endChild)))
  const killAtExit = (): void => children.forEach((child) => void child.kill('SIGKILL'))
  process.once('exit', killAtExit)
  started.defer(async () => {
    process.off('exit', killAtExit)
    await killSentinels()
  })
  const ask = (port: number, ...words: string[]) => askRedis(port, words, passwords.sentinel)
  const masterOf = async (port: number): Promise<number> => {
    const answer = await ask(port, 'SENTINEL', 'get-master-addr-by-name', name)
    return Number(answer.split('\r\n').at(4))
  }
  const settled = async (before?: number): Promise<number> => {
    const agreed = async () => {
      const named = await Promise.all(ports.map(masterOf)).catch(() => [])
      const states = await Promise.all(ports.map((port) => ask(port, 'SENTINEL', 'MASTER', name))).catch(() => [])
      const known = states.filter((state) => /num-slaves\r\n\$1\r\n1[\s\S]*num-other-sentinels\r\n\$1\r\n2/.test(state))
      const [first] = named
      const agree = named.length === ports.length && named.every((port) => port === first)
      return agree && known.length === ports.length && first !== before && first
    }
    // A Sentinel that was stopped for two seconds does nothing for 30 s more (TILT mode).
    return await until('the Sentinels agree', agreed, 75_000)
  }
  await settled()
  const owned = started.move()
  const user = passwords.redis === '' ? '' : `:${encodeURIComponent(passwords.redis)}@`
  const query = passwords.sentinel === '' ? '' : `?sentinel_password=${encodeURIComponent(passwords.sentinel)}`
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return {
    url: `redis+sentinel://${user}${hosts}/${name}${query}`,
    ports,
    servers: [master, copy],
    masterPort: () => masterOf(ports[0] ?? 0),
    settled,
    killSentinels,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

type Sentinel = { directory: string; port: number; masterPort: string; passwords: Passwords }

async function startSentinel({ directory, port, masterPort, passwords }: Sentinel): Promise<ChildProcess> {
  // Sentinels write what they learn into this file.
  const path = join(directory, `${port}.conf`)
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 4000`,
    ...(passwords.redis === '' ? [] : [`sentinel auth-pass ${name} ${passwords.redis}`]),
    ...(passwords.sentinel === ''
      ? []
      : [`requirepass ${passwords.sentinel}`, `sentinel sentinel-pass ${passwords.sentinel}`]),
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  const child = spawn(redisServerPath, [path, '--sentinel'], { stdio: 'ignore' })
  await until('a Sentinel', async () => /^(\+PONG|-NOAUTH)/.test(await askRedis(port, ['PING']).catch(() => '')))
  const answer = await askRedis(port, ['SENTINEL', 'DEBUG', ...shortPeriods], passwords.sentinel)
  if (!answer.startsWith('+OK')) throw new Error(`a Sentinel took no shorter periods: ${answer}`)
  return child
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
