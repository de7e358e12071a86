// Our webhook endpoint at the provider: registers and activates it, and stores its public key to verify signatures.

import { createHash } from 'node:crypto'
import { deploymentChain } from '../../audit/audit.rules.ts'
import { appendAudit } from '../../audit/log.ts'
import { providerOf } from '../../platform/config.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { type Actor, operator } from '../../platform/http/caller.ts'
import { providerFailure, readProvider } from '../operations/operations.ts'
import { providerRejection } from '../operations/rejection.ts'
import { type Endpoint, type Endpoints, ProviderError, type Write } from '../port.ts'
import type { Connects } from './ports.ts'
import { listProviderWebhooks, saveProviderWebhook } from './webhooks.store.ts'

export type Connection = {
  webhookId: string
  url: string
  created: boolean
  /** Event categories that the endpoint now receives in addition. */
  addedCategories: string[]
}

/** @returns the needed categories that none of these endpoints receives */
export function missingCategories({ needed }: Pick<Endpoints, 'needed'>, endpoints: readonly Endpoint[]): string[] {
  return [...needed.keys()].filter((category) =>
    endpoints.every(({ categories }) => categories.length > 0 && !categories.includes(category)),
  )
}

/**
 * Makes the provider send events of all needed categories to `url`. A repeat changes nothing.
 * @throws ApiError `not_offered`, `provider_unavailable`, `provider_timeout`, `provider_rejected`
 */
export async function connectProvider(deps: Connects, url: string, by: Actor = operator): Promise<Connection> {
  const { endpoints } = deps.provider
  if (endpoints === null) throw registeredByHand(url)
  const known = await knownIds(deps)
  const theirs = (await readProvider(() => endpoints.list())).filter(({ status }) => status !== 'deleted')
  // Our endpoint with another URL is moved, so that a change of the URL leaves no endpoint behind.
  const existing = theirs.find((webhook) => webhook.url === url) ?? theirs.find((webhook) => known.has(webhook.id))
  const webhook = existing ?? (await createEndpoint(deps, endpoints, url, known))
  if (webhook.publicKey === null)
    throw fail('provider_unavailable', { message: 'The provider returned no public key for the webhook.' })
  const { publicKey } = webhook
  // The key is stored before the endpoint is activated, so that every event can be verified.
  await deps.db.transaction(async (tx) => {
    await saveProviderWebhook(tx, { provider: providerOf(deps.config), id: webhook.id, url, publicKey })
    if (webhook.url === url && known.has(webhook.id)) return // a repeat
    const details = { to: new URL(url).origin }
    await appendAudit(deps, tx, by, {
      businessId: deploymentChain,
      action: 'provider.connected',
      subjectId: webhook.id,
      details,
    })
  })
  const added = await addCategories(endpoints, missingCategories(endpoints, [webhook]), (categories) =>
    configure(url, () => endpoints.add(webhook, categories)),
  )
  const turn = (to: 'active' | 'disabled') => configure(url, () => endpoints.switch(webhook.id, to))
  if (webhook.url !== url) {
    // The provider changes the URL only while the endpoint is disabled. After a crash here, a repeat continues.
    if (webhook.status !== 'disabled') await turn('disabled')
    await configure(url, () => endpoints.move(webhook.id, url))
  }
  if (webhook.status !== 'active' || webhook.url !== url) await turn('active')
  return { webhookId: webhook.id, url, created: existing === undefined, addedCategories: added }
}

function registeredByHand(url: string): ApiError {
  return fail('not_offered', {
    message: `The provider has no API for webhook endpoints: register ${url} in the provider's dashboard.`,
    resolution: 'Set `PROVIDER_WEBHOOK_PUBLIC_KEYS` to the public key that the dashboard shows for the endpoint.',
  })
}

/** @returns the categories that the provider accepted */
async function addCategories(
  { optional }: Pick<Endpoints, 'optional'>,
  missing: string[],
  add: (categories: string[]) => Promise<unknown>,
): Promise<string[]> {
  const settled = missing.filter((category) => !optional.has(category))
  try {
    if (missing.length > 0) await add(missing)
    return missing
  } catch (error) {
    if (settled.length === missing.length || !(error instanceof ApiError) || error.code !== 'provider_rejected')
      throw error
    if (settled.length > 0) await add(settled)
    return settled
  }
}

/** Registers our webhook endpoint again: a sandbox provider that was reset has lost it. */
export async function reconnectProvider(deps: Connects): Promise<void> {
  if (deps.provider.endpoints === null) return
  const [webhook] = await deps.db.read(listProviderWebhooks)
  if (webhook) await connectProvider(deps, webhook.url)
}

/**
 * Makes the provider resume its deliveries. The provider gives an endpoint up after two days without a response, until
 * an event that is resent on request arrives.
 * @param eventId an event that is already stored
 */
export async function resumeDelivery(deps: Connects, eventId: string): Promise<void> {
  const { endpoints } = deps.provider
  if (endpoints === null) return
  try {
    const known = await knownIds(deps)
    const active = (await endpoints.list()).filter(({ id, status }) => known.has(id) && status === 'active')
    if (active.length === 0) deps.log.warn('provider webhook endpoint not active: run "causeway provider connect"')
    for (const { id } of active) await endpoints.resend(id, eventId, keyOf(`resend ${id} ${eventId}`))
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    deps.log.warn({ kind: error.kind, status: error.status }, 'provider event delivery not resumed')
  }
}

async function configure<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    // The operator must see that the URL is refused, not that the provider is unavailable.
    if (error instanceof ProviderError && error.kind === 'rejected') throw providerRejection(error, { url })
    throw providerFailure(error)
  }
}

function keyOf(intent: string): Write {
  const digest = createHash('sha256').update(`causeway webhook ${intent}`).digest('hex')
  return { key: `causeway-webhook-${digest.slice(0, 32)}` }
}

async function knownIds(deps: Connects): Promise<Set<string>> {
  return new Set((await deps.db.read(listProviderWebhooks)).map((row) => row.id))
}

async function createEndpoint(
  deps: Connects,
  endpoints: Endpoints,
  url: string,
  known: ReadonlySet<string>,
): Promise<Endpoint> {
  // The key is the same for the same URL within a day, so two replicas that connect at once create one endpoint. The
  // key includes the IDs of our earlier endpoints, so that the provider does not replay the response for a deleted
  // endpoint.
  const day = new Date(deps.now()).toISOString().slice(0, 10)
  const intent = [url, day, ...[...known].sort()].join(' ')
  return await configure(url, () => endpoints.create(url, keyOf(intent)))
}
