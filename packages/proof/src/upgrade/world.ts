// A deployment that is only asked from outside: replicas of packed versions on one PostgreSQL, a business that was set up over
// HTTP, and receivers.

import { randomBytes } from 'node:crypto'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { parseConfig } from '../../../server/src/platform/settings.ts'
import type { JsonObject } from '../../../server/src/platform/values/json.ts'
import { createProviderSigner, type ProviderSigner } from '../../../server/test/provider-signer.ts'
import { type ServeProcess, startServe } from '../../../server/test/serve-process.ts'
import type { Answer, Balancer } from '../relay-world/balancer.ts'
import type { Endpoint, Ordering } from '../relay-world/deployment.ts'
import { commandOf } from './releases.ts'

export type Fleet = {
  signer: ProviderSigner
  adminSecret: string
  /** Starts a replica of a packed version. */
  serve(packed: string): Promise<ServeProcess>
}

const settings = {
  RECONCILE_PERIOD_SECONDS: '0',
  DATABASE_POOL_MAX: '8',
  PROVIDER_KIND: 'bridge',
  PROVIDER_URL: 'http://127.0.0.1:9/v0', // the discard port: nobody answers there
  PROVIDER_API_KEY: 'sk-test-proof',
  PROVIDER_WEBHOOK_SIGNATURE: 'required',
  RATE_LIMIT_REQUESTS: '1000000',
  // Several checks of the load balancer fit into the delay, on a machine that is busy with other work as well.
  SHUTDOWN_DELAY_MS: '1500',
  SHUTDOWN_GRACE_MS: '3000',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_RETRY_SECONDS: `0.2,0.4,0.8,${Array(17).fill('1').join(',')}`,
}

export function openFleet(database: ConnectionOptions): Fleet {
  const signer = createProviderSigner()
  const env = { ...settings, PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey }
  const secrets = { deploymentSecret: randomBytes(24).toString('hex'), adminSecret: randomBytes(16).toString('hex') }
  const config = parseConfig(env, secrets)
  return {
    signer,
    adminSecret: secrets.adminSecret,
    serve: (packed) => startServe({ database, inside: { config } }, env, [], { command: commandOf(packed) }),
  }
}

export type Customer = { businessId: string; apiKey: string; endpoints: ReadonlyMap<string, Endpoint> }

/** Sets a business up over HTTP, as the version that answers does it. */
export async function openCustomer(
  balancer: Balancer,
  adminSecret: string,
  options: { endUsers: readonly string[]; receiversPort: number },
): Promise<Customer> {
  const admin = callerOf(balancer, adminSecret)
  const businessId = String((await admin('POST', '/v0/customers', { name: 'A business of the proof' }))['id'])
  const issued = await admin('POST', `/v0/customers/${businessId}/api-keys`, { name: 'The proof' })
  const apiKey = String(issued['key'])
  const caller = callerOf(balancer, apiKey)
  for (const externalUserId of options.endUsers) await caller('POST', '/v0/end-users', { externalUserId })
  const endpoints = new Map<string, Endpoint>()
  for (const ordering of ['per_end_user', 'best_effort'] as const satisfies readonly Ordering[]) {
    const webhookUrl = `http://127.0.0.1:${options.receiversPort}/${ordering}`
    const { id } = await caller('POST', '/v0/webhook-endpoints', {
      webhookUrl,
      ordering,
      sources: ['provider'],
    })
    endpoints.set(ordering, { id: String(id), businessId, ordering })
  }
  return { businessId, apiKey, endpoints }
}

export type Call = (method: string, path: string, body?: object, key?: string) => Promise<JsonObject>

/** @returns what asks and gets the `data` of a success @throws Error on any other answer */
export function callerOf(balancer: Balancer, secret: string): Call {
  return async (method, path, body, key) => {
    const answer = await ask(balancer, secret, { method, path, ...(body && { body }), ...(key && { key }) })
    return (JSON.parse(answer.body) as { data: JsonObject }).data // our own answer, which `openapi.json` declares
  }
}

type Asked = { method: string; path: string; body?: object; key?: string }

async function ask(balancer: Balancer, secret: string, { method, path, body, key }: Asked): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${secret}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(key && { 'idempotency-key': key }),
  }
  const { outcome } = await balancer.send({ method, path, headers, ...(body && { body: JSON.stringify(body) }) })
  if ('failed' in outcome) throw new Error(outcome.failed)
  return outcome
}

/** Reads which end-users there are, page by page. */
export async function listEndUsers(balancer: Balancer, apiKey: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (let path: string | null = '/v0/end-users?limit=100'; path !== null; ) {
    const answer: Answer = await ask(balancer, apiKey, { method: 'GET', path })
    const { data } = JSON.parse(answer.body) as { data: { externalUserId: string }[] } // as above
    for (const { externalUserId } of data) found.add(externalUserId)
    const next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link'] ?? ''))?.[1]
    path = next === undefined ? null : new URL(next).pathname + new URL(next).search
  }
  return found
}
