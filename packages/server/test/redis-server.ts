// A real redis-server of a test: killed, stopped in its tracks and started again at will, and gone with its directory.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisServerPath } from '../../../scripts/test-needs.ts'
import { freePort, until } from './until.ts'

export type RedisServer = AsyncDisposable & {
  url: string
  /** Starts it again on the same port, with nothing in it. */
  start(...options: string[]): Promise<void>
  /** SIGKILL: connections are reset. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay, without responses. */
  freeze(): void
  thaw(): void
  /** Resolves when the server follows another one. */
  becomesCopy(): Promise<void>
  /** Sends one command. @returns the raw response */
  ask(...words: string[]): Promise<string>
}

export async function startRedis(...options: string[]): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  // A test process that is ended by a signal runs no clean-up, but this.
  const killAtExit = (): void => void child?.kill('SIGKILL')
  process.once('exit', killAtExit)
  const ask = (...words: string[]) => askRedis(port, words)
  const start = async (...more: string[]): Promise<void> => {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '']
    child = spawn(redisServerPath, [...settings, '--appendonly', 'no', '--repl-diskless-sync-delay', '0', ...more], {
      stdio: 'ignore',
    })
    await until('Redis', async () => /^(\+PONG|-NOAUTH)/.test(await ask('PING').catch(() => '')))
  }
  await start(...options)
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async becomesCopy() {
      // A Sentinel that demotes it closes its connections with CLIENT KILL: one may get no response.
      await until('a copy', async () => (await ask('ROLE').catch(() => '')).includes('slave'))
    },
    ask,
    async [Symbol.asyncDispose]() {
      await kill()
      process.off('exit', killAtExit)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const answerMsMax = 5_000

/** @param password of the default user, where one is set */
export async function askRedis(port: number, words: readonly string[], password = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  // A server that is killed in the meantime closes the connection without a response.
  const ended = once(socket, 'close').then(() => Promise.reject(new Error('no response from Redis')))
  ended.catch(() => {}) // also after the response
  const answered = async (): Promise<Buffer> => ((await Promise.race([once(socket, 'data'), ended])) as [Buffer])[0]
  socket.setTimeout(answerMsMax, () => socket.destroy())
  try {
    if (password !== '') {
      socket.write(`AUTH ${password}\r\n`)
      await answered()
    }
    socket.write(`${words.join(' ')}\r\n`)
    // A response of these tests fits into one packet.
    return (await answered()).toString()
  } finally {
    socket.destroy()
  }
}
