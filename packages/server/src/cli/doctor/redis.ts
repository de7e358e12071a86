// Redis, where one is configured: a connection of its own that says AUTH and PING, with no client library.

import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Finding, ok, problem } from './check.ts'

const answerMsMax = 3_000
const remedy =
  'Check REDIS_URL and that Redis lets this host in; without it, limits are counted in each process by itself.'

/** @param url never shown: it may hold a password */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  const check = 'redis'
  if (url === undefined) return []
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    return [problem(check, 'REDIS_URL is not an address that starts with redis:// or rediss://.', remedy)]
  try {
    const answer = await ping(new URL(url))
    if (answer.endsWith('+PONG\r\n')) return [ok(check, 'answers')]
    return [problem(check, `It refuses us: ${/-([A-Z]+)/.exec(answer)?.[1] ?? 'no answer of Redis'}.`, remedy)]
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
    return [problem(check, `It can not be reached (${code}).`, remedy)]
  }
}

function ping(url: URL): Promise<string> {
  const user = decodeURIComponent(url.username)
  const password = decodeURIComponent(url.password)
  const commands = [...(password ? [['AUTH', ...(user ? [user] : []), password]] : []), ['PING']]
  const wanted = commands.length
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 6379) }
  return new Promise((resolve, reject) => {
    const socket = url.protocol === 'rediss:' ? connectTls({ ...target, servername: target.host }) : connect(target)
    let heard = ''
    socket.setTimeout(answerMsMax, () => socket.destroy(new Error('no answer')))
    socket.once('error', reject)
    socket.once('close', () => resolve(heard))
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString()
      if (heard.split('\r\n').length > wanted || heard.startsWith('-')) socket.end()
    })
    socket.write(commands.map(encode).join(''))
  })
}

function encode(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}
