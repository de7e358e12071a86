// Addresses of PostgreSQL, and sessions on it that are not Causeway's.

import pg from 'pg'

export type Connection = { host: string; port: number; username: string; password: string; database: string }

const int8 = 20
const connectMsMax = 5_000

/** Runs one statement on a separate session. */
export async function askOn<Row extends object>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'proof',
    connectionTimeoutMillis: connectMsMax,
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  client.on('error', () => {}) // the statement reports it
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...values])).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** A host that begins with `/` is a directory of sockets. */
export function urlOf({ host, port, username, password, database }: Connection): string {
  const [user, secret] = [encodeURIComponent(username), encodeURIComponent(password)]
  if (!host.startsWith('/')) return `postgresql://${user}:${secret}@${host}:${port}/${database}`
  const query = new URLSearchParams({ host, port: String(port), user: username, password })
  return `postgresql:///${database}?${query}`
}

/** @throws TypeError if the address names several hosts */
export function connectionOf(url: string): Connection {
  const { hostname, port, username, password, pathname, searchParams: given } = new URL(url)
  return {
    host: given.get('host') ?? hostname,
    port: Number(given.get('port') ?? port),
    username: given.get('user') ?? decodeURIComponent(username),
    password: given.get('password') ?? decodeURIComponent(password),
    database: pathname.slice(1),
  }
}
