// The hosts of an address, one of which a new connection goes to.

import type pg from 'pg'
import { readAddresses, type ServerRole } from './addresses.ts'

type OneHost = { host: string; port: number; username: string; password: string; database: string }

/** A server that answers and is not one of those that will do: a standby, or closed to writes. */
class UnfitServerError extends Error {
  readonly code = 'UNFIT_SERVER'
}

export class Hosts {
  readonly role: ServerRole
  readonly #configs: readonly pg.ClientConfig[]
  #at = 0

  constructor(target: { url: string } | OneHost) {
    if ('url' in target) {
      const { urls, role, connectTimeoutMs: connectionTimeoutMillis } = readAddresses(target.url)
      this.role = role
      this.#configs = urls.map((connectionString) => ({ connectionString, connectionTimeoutMillis }))
    } else {
      const { host, port, username: user, password, database } = target
      this.role = 'any'
      this.#configs = [{ host, port, user, password, database, ssl: false, connectionTimeoutMillis: 10_000 }]
    }
  }

  get count(): number {
    return this.#configs.length
  }

  /** The number of the host that the next connection goes to: the one that answered last, first the first. */
  get at(): number {
    return this.#at
  }

  get config(): pg.ClientConfig {
    return this.#configs[this.#at] ?? {}
  }

  /** Goes on to the next host, unless somebody has found this one unfit before. */
  leave(at: number): void {
    if (this.#at === at) this.#at = (at + 1) % this.count
  }
}

/**
 * Connects to the first host that will do: each is tried once.
 * @param connect connects to the host that is current
 * @throws what the last one said
 */
export async function connectToOne<T>(hosts: Hosts, connect: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    const { at } = hosts
    try {
      return await connect()
    } catch (error) {
      hosts.leave(at)
      if (tried >= hosts.count) throw error
    }
  }
}

/** @throws UnfitServerError when the server is not what `target_session_attrs` asks for; or when it does not answer in time */
export async function requireRole(client: pg.ClientBase, role: ServerRole, timeoutMs: number): Promise<void> {
  const asking: pg.QueryConfig & { query_timeout: number } = {
    text: `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    query_timeout: timeoutMs,
  }
  const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(asking)
  const isFit = rows.some(({ isStandby, isReadOnly }) => !(role === 'primary' ? isStandby : isReadOnly))
  if (!isFit) throw new UnfitServerError('the server takes no writes')
}
