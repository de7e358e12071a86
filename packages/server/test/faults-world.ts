// The tests' world with a fault proxy on every line of one of its replicas. The other one has sound lines.

import { type FaultProxy, openFaultProxy } from '../../proof/src/fault-proxy/proxy.ts'
import { providerAccountIds } from './relay-provider.ts'
import { type RelayWorld, type Replica, relayWorld, startReplica } from './relay-world.ts'
import { type Answer, approvedUser, request, solanaWallet, until } from './test-world.ts'

export type FaultsWorld = RelayWorld & {
  toDatabase: FaultProxy
  toProvider: FaultProxy
  replica: Replica
  externalUserId: string
  /** A request to the replica with the faulty lines. */
  ask(method: string, path: string, key: string, body?: unknown): Promise<Answer>
  /** As `ask`, repeated until the answer is none that says "retry". What holds the key or the account now is taken for dead. */
  askUntilFinal(method: string, path: string, key: string, body?: unknown): Promise<Answer>
}

export async function faultsWorld(): Promise<FaultsWorld> {
  const env = {
    PROVIDER_TIMEOUT_MS: '1000',
    WEBHOOK_TIMEOUT_MS: '1000',
    WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.5,1,1,1,1,1',
  }
  const world = await relayWorld(env)
  const { hostname, port } = new URL(world.sandbox.url)
  const toDatabase = await openFaultProxy({ target: () => world.database, speaksPostgres: true })
  const toProvider = await openFaultProxy({ target: () => ({ host: hostname, port: Number(port) }) })
  const line = { ...world.database, host: toDatabase.host, port: toDatabase.port }
  const replica = await startReplica(world, { providerUrl: `${toProvider.origin}/v0` }, line)
  const ask: FaultsWorld['ask'] = (method, path, key, body) =>
    request(method, `${replica.url}${path}`, body, {
      headers: { authorization: `Bearer ${world.facts.apiKey}`, 'idempotency-key': key },
    })
  return {
    ...world,
    toDatabase,
    toProvider,
    replica,
    externalUserId: await approvedUser(world),
    ask,
    async askUntilFinal(method, path, key, body) {
      // Once, and not under the feet of whoever holds them from now on.
      await expireLeases(world)
      return await until('a final answer', async () => {
        const answer = await ask(method, path, key, body)
        return (answer.status === 200 || !answer.body.error.retryable) && answer
      })
    },
    async stop() {
      await replica.stop()
      await toDatabase[Symbol.asyncDispose]()
      await toProvider[Symbol.asyncDispose]()
      await world.stop()
    },
  }
}

/** As if the time had passed after which a holder that is not heard of is gone. */
async function expireLeases(world: RelayWorld): Promise<void> {
  await world.rows((query) => query`update idempotency_keys set lease_until = now() where status is null`)
  await world.rows((query) => query`update operations set lease_until = now() where state = 'running'`)
}

let serial = 0
/** A request for an account that is like no other. */
export function accountOf(world: FaultsWorld): { key: string; body: object } {
  serial += 1
  const terms = { source: { currency: 'usd' }, destination: solanaWallet, developer_fee_percent: `0.${1_000 + serial}` }
  return { key: `faults-${process.pid}-${serial}`, body: { externalUserId: world.externalUserId, ...terms } }
}

export function isHonest({ status, headers }: Answer): boolean {
  return (status === 503 || status === 504) && headers.get('retry-after') !== null
}

/** How often the account was told, and how many there are upstream. */
export async function countsOf(world: FaultsWorld, accountId: string): Promise<{ upstream: number; events: number }> {
  const { data } = (await world.call('GET', '/v0/events?eventType=virtual_account.created&limit=100')).body
  const events = data.filter((event: { payload: { data: { id: string } } }) => event.payload.data.id === accountId)
  return { upstream: (await providerAccountIds(world)).length, events: events.length }
}
