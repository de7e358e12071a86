// The hosts of an address. A new connection goes to one of them.

import type pg from 'pg'
import { readAddresses, type ServerRole } from './addresses.ts'

type OneHost = { host: string; port: number; username: string; password: string; database: string }

/** A server that responds but does not have the required role: a standby, or closed to writes. */
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

  /** Index of the host for the next connection: the last one that responded, initially the first. */
  get at(): number {
    return this.#at
  }

  get config(): pg.ClientConfig {
    return this.#configs[this.#at] ?? {}
  }

  /** Moves to the next host, unless another caller has already left this one. */
  leave(at: number): void {
    if (this.#at === at) this.#at = (at + 1) % this.count
  }
}

/**
 * Connects to the first host with the required role. Each host is tried once.
 * @param connect connects to the current host
 * @throws the error of the last host
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

/** @throws UnfitServerError if the server does not match `target_session_attrs`, or does not respond in time */
export async function requireRole(client: pg.ClientBase, role: ServerRole, timeoutMs: number): Promise<void> {
  const asking: pg.QueryConfig & { query_timeout: number } = {
    text: `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    query_timeout: timeoutMs,
  }
  const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(asking)
  const isFit = rows.some(({ isStandby, isReadOnly }) => !(role === 'primary' ? isStandby : isReadOnly))
  if (!isFit) throw new UnfitServerError('the server takes no writes')
}
