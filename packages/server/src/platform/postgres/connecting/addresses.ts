// Reads the address of PostgreSQL like libpq: several hosts, and the role that the server must have (PostgreSQL 15,
// section 34.1.1).

/** The accepted server: any, one that accepts writes, or one that is not a standby. */
export type ServerRole = 'any' | 'read-write' | 'primary'

export type Addresses = {
  /** An address for each host, in the order of connection attempts. */
  urls: readonly string[]
  role: ServerRole
  connectTimeoutMs: number
  hosts: readonly string[]
  password: string
  /** The parameters after the question mark. */
  parameters: URLSearchParams
}

/** Timeout for a single host: its name may be moving to another server. */
const aloneTimeoutMs = 10_000
/** A dead host must not use up the time limit of a read. */
const amongTimeoutMs = 3_000

const pattern = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/
const hostPattern = /^(\[[^\]]+\]|[^:]*)(?::(\d{1,5})?)?$/
/** The parameters that this file reads; the driver reads the rest. */
const ours = ['host', 'port', 'target_session_attrs', 'connect_timeout']

/**
 * Reads `DATABASE_URL`.
 * @throws RangeError that states the expected form, without any part of the value
 */
export function readAddresses(text: string): Addresses {
  const [, scheme, user, authority = '', path = '/', query = ''] = pattern.exec(text) ?? []
  if (scheme === undefined) throw new RangeError('must be a URL that starts with postgres:// or postgresql://')
  const parameters = new URLSearchParams(query)
  const hosts = hostsOf(authority, parameters)
  const role = roleOf(parameters.get('target_session_attrs'))
  const rest = new URLSearchParams(parameters)
  for (const name of ours) rest.delete(name)
  const isPlain = hosts.length === 1 && ours.every((name) => !parameters.has(name))
  const urls = isPlain ? [text] : hosts.map((host) => urlOf(scheme, user ?? '', host, path, rest))
  if (!urls.every((url) => URL.canParse(url))) throw new RangeError('must contain valid hosts and ports')
  return {
    urls,
    role,
    connectTimeoutMs: timeoutOf(parameters.get('connect_timeout'), hosts.length),
    hosts: hosts.map(({ name }) => name),
    password: decodeURIComponent(user?.slice(user.indexOf(':') + 1 || user.length) ?? ''),
    parameters,
  }
}

type Host = { name: string; port: string | null }

function hostsOf(authority: string, parameters: URLSearchParams): Host[] {
  const given = authority.split(',').map((part): Host => {
    const [, name, port] = hostPattern.exec(part) ?? []
    if (name === undefined) throw new RangeError('must contain valid hosts and ports')
    return { name, port: port ?? null }
  })
  const names = parameters.get('host')?.split(',') ?? given.map(({ name }) => name)
  const ports = parameters.get('port')?.split(',') ?? given.map(({ port }) => port)
  if (ports.length > 1 && ports.length !== names.length)
    throw new RangeError(
      `must contain one port, or one port per host: it has ${names.length} hosts and ${ports.length} ports`,
    )
  if (names.length > 1 && names.some((name) => name === '')) throw new RangeError('must contain a name for each host')
  // A single host without a port uses PGPORT.
  const fallback = names.length > 1 ? '5432' : null
  return names.map((name, at) => ({ name, port: (ports.length === 1 ? ports[0] : ports[at]) || fallback }))
}

function urlOf(scheme: string, user: string, { name, port }: Host, path: string, rest: URLSearchParams): string {
  const query = new URLSearchParams(rest)
  if (name.startsWith('/')) {
    // A socket directory: no URL has a user before a missing host.
    const [login = '', ...password] = user.split(':')
    const facts = { host: name, port, user: login, password: password.join(':') }
    for (const [key, value] of Object.entries(facts)) if (value) query.set(key, decodeURIComponent(value))
  }
  const bracketed = /^[^[].*:/.test(name) ? `[${name}]` : name
  const authority = `${user === '' ? '' : `${user}@`}${bracketed}${port === null ? '' : `:${port}`}`
  return `${scheme}${name.startsWith('/') ? '' : authority}${path}${query.size > 0 ? `?${query}` : ''}`
}

function roleOf(value: string | null): ServerRole {
  if (value === null || value === 'any') return 'any'
  if (value === 'read-write' || value === 'primary') return value
  if (/^(read-only|standby|prefer-standby)$/.test(value))
    throw new RangeError(
      `must not have target_session_attrs=${value}: every replica writes, so it needs read-write or primary`,
    )
  throw new RangeError('must have target_session_attrs=read-write, primary or any')
}

/** libpq counts seconds, reads 1 as 2, and 0 as no limit. Here, 0 gives the default. */
function timeoutOf(seconds: string | null, hosts: number): number {
  if (seconds !== null && !/^\d{1,4}$/.test(seconds)) throw new RangeError('must have connect_timeout in whole seconds')
  const given = Number(seconds ?? 0)
  if (given === 0) return hosts > 1 ? amongTimeoutMs : aloneTimeoutMs
  return Math.max(2, given) * 1000
}
