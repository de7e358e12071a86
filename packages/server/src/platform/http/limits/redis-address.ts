// REDIS_URL, read: one server by its address, or the Sentinels that know which server is the master at the moment.

import { isIPv6 } from 'node:net'

type Node = { host: string; port: number }
type Login = { username?: string; password?: string }

export type RedisSentinels = {
  kind: 'sentinels'
  sentinels: readonly Node[]
  /** The name under which the Sentinels watch the master. */
  master: string
  database: number
  tls: boolean
  login: Login
  sentinelLogin: Login
}

export type RedisAddress = { kind: 'server'; url: string } | RedisSentinels

export const redisAddressRule =
  'must be a URL with a host that starts with redis:// or rediss://, or name Sentinels and their master: redis+sentinel://host:26379,host:26379/mymaster'

const sentinelPort = 26_379
const sentinelsMax = 20
const sentinelForm = /^redis(s?)\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d{1,5}))?(?:\?([^#]*))?$/
const nodeForm = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i

/** Reads REDIS_URL. @returns null when the address is none */
export function readRedisAddress(text: string): RedisAddress | null {
  const parts = sentinelForm.exec(text)
  if (parts) return readSentinels(parts)
  const isServer = URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol) && new URL(text).hostname !== ''
  return isServer ? { kind: 'server', url: text } : null
}

function readSentinels(parts: RegExpExecArray): RedisSentinels | null {
  const [, secure = '', user = '', hosts = '', master = '', database = '0', query = ''] = parts
  const sentinels = hosts.split(',').map(readNode)
  const login = readLogin(user)
  const sentinelLogin = readQuery(query)
  if (login === null || sentinelLogin === null || sentinels.length > sentinelsMax) return null
  const nodes = sentinels.filter((node) => node !== null)
  if (nodes.length < sentinels.length) return null
  const tls = secure === 's'
  return { kind: 'sentinels', sentinels: nodes, master, database: Number(database), tls, login, sentinelLogin }
}

function readNode(text: string): Node | null {
  const [, bracketed, name, port = String(sentinelPort)] = nodeForm.exec(text.trim()) ?? []
  const host = bracketed ?? name
  if (host === undefined || (bracketed !== undefined && !isIPv6(bracketed))) return null
  return Number(port) >= 1 && Number(port) <= 65_535 ? { host, port: Number(port) } : null
}

/** `user:password`, each percent-encoded; a Redis without users has an empty one. */
function readLogin(text: string): Login | null {
  if (text === '') return {}
  const [username = '', password, ...more] = text.split(':')
  if (more.length > 0 || password === undefined) return null
  try {
    return loginOf(decodeURIComponent(username), decodeURIComponent(password))
  } catch {
    return null // no percent-encoding
  }
}

function readQuery(text: string): Login | null {
  const query = new URLSearchParams(text)
  const known = ['sentinel_username', 'sentinel_password']
  if ([...query.keys()].some((name) => !known.includes(name))) return null
  return loginOf(query.get('sentinel_username') ?? '', query.get('sentinel_password') ?? '')
}

function loginOf(username: string, password: string): Login {
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) }
}
