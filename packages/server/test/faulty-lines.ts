// A replica with a fault proxy on each of its lines: to the database, and to the provider. The server of the world keeps sound
// lines.

import { type FaultProxy, openFaultProxy } from '../../proof/src/rig/network/proxy.ts'
import { accountRequest } from './business.ts'
import { type Answer, request, until } from './caller.ts'
import type { World } from './world.ts'

/** Settings of a world for such a replica: short waits. */
export const shortWaits = {
  PROVIDER_TIMEOUT_MS: '1000',
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.5,1,1,1,1,1',
}

export type FaultyLines = AsyncDisposable & {
  toDatabase: FaultProxy
  toProvider: FaultProxy
  externalUserId: string
  /** Sends a request to the replica with the faulty lines. */
  ask(method: string, path: string, key: string, body?: unknown): Promise<Answer>
  /** As `ask`, repeated until the response is none that says "retry". Expires the leases first: their holders count as dead. */
  askUntilFinal(method: string, path: string, key: string, body?: unknown): Promise<Answer>
  /** @returns a request for an account that is like no other */
  account(): { key: string; body: object }
  /** Counts the events about an account, and all accounts at the provider. */
  countsOf(accountId: string): Promise<{ upstream: number; events: number }>
}

let serial = 0

export async function faultyLines(world: World): Promise<FaultyLines> {
  const { hostname, port } = new URL(world.provider.origin)
  const toDatabase = await openFaultProxy({ target: () => world.database, speaksPostgres: true })
  const toProvider = await openFaultProxy({ target: () => ({ host: hostname, port: Number(port) }) })
  const database = { ...world.database, host: toDatabase.host, port: toDatabase.port }
  const replica = await world.replica({ config: { providerUrl: `${toProvider.origin}/v0` }, database })
  const externalUserId = await world.business.user('approved')
  const ask: FaultyLines['ask'] = (method, path, key, body) =>
    request(method, `${replica.url}${path}`, body, {
      headers: { authorization: `Bearer ${world.business.apiKey}`, 'idempotency-key': key },
    })
  return {
    toDatabase,
    toProvider,
    externalUserId,
    ask,
    async askUntilFinal(method, path, key, body) {
      await world.leasesEnd()
      return await until('a final response', async () => {
        const answer = await ask(method, path, key, body)
        return (answer.status === 200 || !answer.body.error.retryable) && answer
      })
    },
    account() {
      serial += 1
      const body = accountRequest(externalUserId, { developer_fee_percent: `0.${1_000 + serial}` })
      return { key: `faults-${process.pid}-${serial}`, body }
    },
    async countsOf(accountId) {
      const events = await world.business.events('virtual_account.created', accountId)
      return { upstream: (await world.provider.accountIds()).length, events: events.length }
    },
    async [Symbol.asyncDispose]() {
      await replica.stop()
      await toDatabase[Symbol.asyncDispose]()
      await toProvider[Symbol.asyncDispose]()
    },
  }
}

export function isHonest({ status, headers }: Answer): boolean {
  return (status === 503 || status === 504) && headers.get('retry-after') !== null
}
