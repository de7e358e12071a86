// Our webhook endpoint at the provider: registered, switched on, and its public key kept to check what it signs.

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
  /** Categories of events that the endpoint was not sent before, and is sent from now on. */
  addedCategories: string[]
}

/** @returns the needed categories of which none of these endpoints is sent events */
export function missingCategories({ needed }: Pick<Endpoints, 'needed'>, endpoints: readonly Endpoint[]): string[] {
  return [...needed.keys()].filter((category) =>
    endpoints.every(({ categories }) => categories.length > 0 && !categories.includes(category)),
  )
}

/**
 * Makes the provider send its events to `url`, of all categories that we need. A repeat changes nothing.
 * @throws ApiError `not_offered`, `provider_unavailable`, `provider_timeout`, `provider_rejected`
 */
export async function connectProvider(deps: Connects, url: string, by: Actor = operator): Promise<Connection> {
  const { endpoints } = deps.provider
  if (endpoints === null) throw registeredByHand(url)
  const known = await knownIds(deps)
  const theirs = (await readProvider(() => endpoints.list())).filter(({ status }) => status !== 'deleted')
  // An endpoint of ours under another address is moved, so that no change of address leaves an endpoint behind.
  const existing = theirs.find((webhook) => webhook.url === url) ?? theirs.find((webhook) => known.has(webhook.id))
  const webhook = existing ?? (await createEndpoint(deps, endpoints, url, known))
  if (webhook.publicKey === null)
    throw fail('provider_unavailable', { message: 'The provider named no public key for the webhook.' })
  const { publicKey } = webhook
  // The key is kept before the endpoint is switched on: no event comes that we could not check.
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
    // The provider takes another address only while the endpoint is off. After a crash here a repeat goes on.
    if (webhook.status !== 'disabled') await turn('disabled')
    await configure(url, () => endpoints.move(webhook.id, url))
  }
  if (webhook.status !== 'active' || webhook.url !== url) await turn('active')
  return { webhookId: webhook.id, url, created: existing === undefined, addedCategories: added }
}

function registeredByHand(url: string): ApiError {
  return fail('not_offered', {
    message: `Provider manages no webhook endpoints by API: register ${url} in the provider's dashboard.`,
    resolution: 'Set `PROVIDER_WEBHOOK_PUBLIC_KEYS` to the public key that the dashboard shows for the endpoint.',
  })
}

/** @returns the categories that the provider took */
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

/** Registers our webhook endpoint again: an emulator that was reset has lost the endpoint. */
export async function reconnectProvider(deps: Connects): Promise<void> {
  if (deps.provider.endpoints === null) return
  const [webhook] = await deps.db.read(listProviderWebhooks)
  if (webhook) await connectProvider(deps, webhook.url)
}

/**
 * Makes the provider resume its delivery: it gives an endpoint up after two days without an answer, until an event that it is
 * asked to send arrives.
 * @param eventId an event that we hold already
 */
export async function resumeDelivery(deps: Connects, eventId: string): Promise<void> {
  const { endpoints } = deps.provider
  if (endpoints === null) return
  try {
    const known = await knownIds(deps)
    const active = (await endpoints.list()).filter(({ id, status }) => known.has(id) && status === 'active')
    if (active.length === 0)
      deps.log.warn('provider has no active webhook endpoint of ours: run "causeway provider connect"')
    for (const { id } of active) await endpoints.resend(id, eventId, keyOf(`resend ${id} ${eventId}`))
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    deps.log.warn({ kind: error.kind, status: error.status }, 'provider did not resume its delivery of events')
  }
}

async function configure<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    // An operator must read that the address is refused, not that the provider is away.
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
  // The key is the same for the same address within a day: two replicas that connect at once make one endpoint. The ids of our
  // earlier endpoints are part of it, so that the provider does not replay the answer for an endpoint that was deleted since.
  const day = new Date(deps.now()).toISOString().slice(0, 10)
  const intent = [url, day, ...[...known].sort()].join(' ')
  return await configure(url, () => endpoints.create(url, keyOf(intent)))
}
