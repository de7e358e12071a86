// Work for one business on a connection: as the role that row security is for, naming the business, and only until the
// transaction ends. The connection itself goes back as it came.

import pg from 'pg'

/** Takes the role and names the business; no row comes of it. */
const takeScope = {
  name: 'scope',
  text: `select 1 where set_config('role', 'causeway_business', true) is null or set_config('causeway.business_id', $1, true) is null`,
}

/** Begins a transaction for this business, in one round trip. */
export const beginFor = (businessId: string): string =>
  `begin; set local role causeway_business; set local causeway.business_id = ${pg.escapeLiteral(businessId)}`

/** What node-postgres calls on a query and a connection, as far as it is used here. */
type Wire = {
  bind(message: { statement: string; values: string[] }): void
  execute(message: { portal: string; rows: number }): void
}
type PreparedQuery = pg.Query & { prepare(connection: Wire): void }
const Base = pg.Query as unknown as new (
  config: object,
  values: undefined,
  callback: (error: Error | null, result: pg.QueryArrayResult<unknown[]>) => void,
) => PreparedQuery

/**
 * A statement behind the one that takes the scope. They go out together, and PostgreSQL takes what comes before a Sync
 * message as one transaction: the scope is that statement's alone, without a round trip more.
 */
class ScopedQuery extends Base {
  readonly #businessId: string

  constructor(businessId: string, ...query: ConstructorParameters<typeof Base>) {
    super(...query)
    this.#businessId = businessId
  }

  override prepare(connection: Wire): void {
    connection.bind({ statement: takeScope.name, values: [this.#businessId] })
    connection.execute({ portal: '', rows: 0 })
    super.prepare(connection)
  }
}

/** Connections that know the statement by which a scope is taken. */
const prepared = new WeakSet<pg.ClientBase>()

/** Runs one statement for this business. */
export async function scoped(
  client: pg.ClientBase,
  businessId: string,
  config: pg.QueryArrayConfig,
): Promise<pg.QueryArrayResult<unknown[]>> {
  // By itself: node-postgres takes the answer to any Parse message for one to its own.
  if (!prepared.has(client)) await client.query({ ...takeScope, values: [businessId] })
  prepared.add(client)
  return await new Promise((resolve, reject) => {
    // Always by the extended protocol: the simple one would leave the scope out.
    const extended = { ...config, queryMode: 'extended' }
    client.query(
      new ScopedQuery(businessId, extended, undefined, (error, result) => (error ? reject(error) : resolve(result))),
    )
  })
}
