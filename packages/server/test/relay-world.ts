// The tests' world as the relay sees it: events signed by the provider, businesses whose webhook URL is a receiver of
// the test, further servers on the same database.

import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { SandboxOptions } from '../../sandbox/src/app/sandbox.ts'
import { type RunningServer, startServer } from '../src/main.ts'
import type { Config } from '../src/platform/config.ts'
import { createLog } from '../src/platform/observe/log.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { createProviderSigner, type ProviderSigner } from './provider-signer.ts'
import { openReceiver, type Received, type Receiver } from './receiver.ts'
import { type Answer, freshUserId, request, type TestWorld, testWorld } from './test-world.ts'

export type RelayWorld = TestWorld & {
  signer: ProviderSigner
  /** Sends an event as the provider would; `signed: false` as anybody could. A string or buffer goes out as it is. */
  post(event: unknown, options?: { signed?: boolean; baseUrl?: string }): Promise<Answer>
  /** Reads the database behind the API. */
  rows<T extends object>(work: (query: Query) => Promise<T[]>): Promise<T[]>
}

/** One for all worlds of a process: to make a key takes as long as to start a server. */
let providerSigner: ProviderSigner | null = null

export async function relayWorld(env: Record<string, string> = {}, sandbox: SandboxOptions = {}): Promise<RelayWorld> {
  providerSigner ??= createProviderSigner()
  const signer = providerSigner
  // Tests refuse more events a minute than the limit of an address allows.
  const limits = { failedAuthPerMinute: 100_000 }
  const shared = { PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey }
  const world = await testWorld({ env: { ...shared, ...env }, limits, sandbox })
  return {
    ...world,
    signer,
    post(event, { signed = true, baseUrl = world.facts.baseUrl } = {}) {
      const raw = typeof event === 'string' || Buffer.isBuffer(event) ? event : JSON.stringify(event)
      const headers: Record<string, string> = signed ? { 'x-webhook-signature': signer.sign(raw) } : {}
      return request('POST', `${baseUrl}/v0/webhooks/provider`, undefined, { raw, headers })
    },
    rows: async (work) => [...(await world.server.deps.db.read(work))],
  }
}

/** Another server on the world's database, as a second replica. */
export async function startReplica(
  world: TestWorld,
  changes: Partial<Config> = {},
  database = world.database,
  write: (line: string) => void = () => {},
): Promise<Replica> {
  const config = { ...world.server.deps.config, port: 0, ...changes }
  const log = createLog('warn', write)
  const server = await startServer(config, log, database)
  return { ...server, [Symbol.asyncDispose]: server.stop }
}

export type Replica = RunningServer & AsyncDisposable

/** A business with one end-user, whose webhook URL is a receiver of its own. */
export type Subscriber = AsyncDisposable & {
  apiKey: string
  customerId: string
  externalUserId: string
  receiver: Receiver
  secret: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** An event of a type unknown to us that names the end-user: stored and forwarded, nothing else. */
  event(fields?: Record<string, unknown>): { event_id: string; event_type: string; external_user_id: string }
  /** Fails unless an independent verifier accepts this delivery with our secret. */
  verify(received: Received): void
}

export async function subscribe(world: TestWorld, reply?: Receiver['reply']): Promise<Subscriber> {
  const { apiKey, customerId } = await world.otherBusiness()
  const call: Subscriber['call'] = (method, path, body) => world.call(method, path, body, { key: apiKey })
  // Before the URL is set, so that the first event of the test is the first of the endpoint.
  const externalUserId = freshUserId()
  await call('POST', '/v0/end-users', { externalUserId })
  const receiver = await openReceiver(reply)
  const set = await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
  if (set.status !== 200) throw new Error(`the webhook URL was not taken: ${set.text}`)
  const secret: string = set.body.data.signingSecret
  return {
    apiKey,
    customerId,
    externalUserId,
    receiver,
    secret,
    call,
    event: (fields = {}) => ({
      event_id: freshEventId(),
      event_type: 'test.happened',
      external_user_id: externalUserId,
      ...fields,
    }),
    verify: ({ headers, body }) => void new Webhook(secret).verify(body, headers as Record<string, string>),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

export function freshEventId(): string {
  return `wh_${randomBytes(9).toString('base64url')}`
}
