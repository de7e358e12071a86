// A further webhook endpoint of a subscriber, with a receiver of its own.

import type { Database } from '../src/platform/postgres/database.ts'
import { changeEndpoint, lockEndpoint } from '../src/webhooks/endpoints/store.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import type { Subscriber } from './relay-world.ts'
import type { Answer } from './test-world.ts'

export type Endpoint = AsyncDisposable & {
  id: string
  secret: string
  receiver: Receiver
  /** Sends `PATCH`; fails unless it is taken. */
  change(body: Record<string, unknown>): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: what the API shows is read by tests, which assert what they find
  read(): Promise<any>
}

/** @param settings of the body of `POST /v0/webhook-endpoints`, but its address */
export async function openEndpoint(
  { call }: Subscriber,
  settings: Record<string, unknown> = {},
  reply?: Receiver['reply'],
): Promise<Endpoint> {
  const receiver = await openReceiver(reply)
  const made = await call('POST', '/v0/webhook-endpoints', { webhookUrl: receiver.url, ...settings })
  if (made.status !== 200) throw new Error(`the endpoint was not made: ${made.text}`)
  const { id, signingSecret: secret } = made.body.data
  const path = `/v0/webhook-endpoints/${id}`
  return {
    id,
    secret,
    receiver,
    async change(body) {
      const answer = await call('PATCH', path, body)
      if (answer.status !== 200) throw new Error(`the endpoint was not changed: ${answer.text}`)
      return answer
    },
    read: async () => (await call('GET', path)).body.data,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

/** As a business does it, by the database of a server that may not be listening. */
export async function setEndpointStatus(
  db: Database,
  { customerId }: Subscriber,
  id: string,
  status: 'enabled' | 'paused',
): Promise<void> {
  await db.transaction(async (tx) => {
    const known = await lockEndpoint(tx, customerId, id)
    if (!known) throw new Error(`there is no endpoint ${id}`)
    await changeEndpoint(tx, known, { status })
  })
}

export const sequencesOf = ({ seen }: Receiver): number[] => seen.map(({ headers }) => Number(headers['svc-sequence']))
