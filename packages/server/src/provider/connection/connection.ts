// Our webhook endpoint at the provider: registered, switched on, and its public key kept to check what it signs.

import { createHash } from 'node:crypto'
import { deploymentChain } from '../../audit/audit.rules.ts'
import { appendAudit } from '../../audit/log.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { type Actor, operator } from '../../platform/http/caller.ts'
import type { ProviderWebhook } from '../bridge/wire/types.ts'
import { providerFailure, readProvider } from '../operations/operations.ts'
import { providerRejection } from '../operations/rejection.ts'
import { ProviderError, type Write } from '../port.ts'
import type { Connects } from './ports.ts'
import { listProviderWebhooks, saveProviderWebhook } from './webhooks.store.ts'

export type Connection = {
  webhookId: string
  url: string
  created: boolean
  /** Categories of events that the endpoint was not sent before, and is sent from now on. */
  addedCategories: string[]
}

/** Events of these categories change our objects: verdicts, links to verify, deposits, requests for information. */
const neededCategories = ['customer', 'kyc_link', 'virtual_account.activity', 'rfi']

/** @returns the needed categories of which none of these endpoints is sent events */
export function missingCategories(webhooks: readonly ProviderWebhook[]): string[] {
  return neededCategories.filter((category) =>
    webhooks.every(({ eventCategories }) => eventCategories.length > 0 && !eventCategories.includes(category)),
  )
}

/**
 * Makes the provider send its events to `url`, of all categories that we need. A repeat changes nothing.
 * @throws ApiError `provider_unavailable`, `provider_timeout`, `provider_rejected`
 */
export async function connectProvider(deps: Connects, url: string, by: Actor = operator): Promise<Connection> {
  const known = await knownIds(deps)
  const theirs = (await readProvider(() => deps.provider.listWebhooks())).filter(
    (webhook) => webhook.status !== 'deleted',
  )
  // An endpoint of ours under another address is moved, so that no change of address leaves an endpoint behind.
  const existing = theirs.find((webhook) => webhook.url === url) ?? theirs.find((webhook) => known.has(webhook.id))
  const webhook = existing ?? (await createWebhook(deps, url, known))
  if (webhook.publicKey === null)
    throw fail('provider_unavailable', { message: 'The provider named no public key for the webhook.' })
  const { publicKey } = webhook
  // The key is kept before the endpoint is switched on: no event comes that we could not check.
  await deps.db.transaction(async (tx) => {
    await saveProviderWebhook(tx, { id: webhook.id, url, publicKey })
    if (webhook.url === url && known.has(webhook.id)) return // a repeat
    const details = { to: new URL(url).origin }
    await appendAudit(deps, tx, by, {
      businessId: deploymentChain,
      action: 'provider.connected',
      subjectId: webhook.id,
      details,
    })
  })
  const change = (to: Parameters<Connects['provider']['updateWebhook']>[1]) =>
    configure(url, () => deps.provider.updateWebhook(webhook.id, to))
  const addedCategories = missingCategories([webhook])
  const added = await addCategories(addedCategories, (categories) =>
    change({ eventCategories: [...webhook.eventCategories, ...categories] }),
  )
  if (webhook.url !== url) {
    // The provider takes another address only while the endpoint is off. After a crash here a repeat goes on.
    if (webhook.status !== 'disabled') await change({ status: 'disabled' })
    await change({ url })
  }
  if (webhook.status !== 'active' || webhook.url !== url) await change({ status: 'active' })
  return { webhookId: webhook.id, url, created: existing === undefined, addedCategories: added }
}

/** Requests for information are in beta at the provider, which may not know their category yet: deposits must not wait for it. */
export const betaCategories: ReadonlySet<string> = new Set(['rfi'])

/** @returns the categories that the provider took */
async function addCategories(missing: string[], add: (categories: string[]) => Promise<unknown>): Promise<string[]> {
  const settled = missing.filter((category) => !betaCategories.has(category))
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
  const [webhook] = await deps.db.read(listProviderWebhooks)
  if (webhook) await connectProvider(deps, webhook.url)
}

/**
 * Makes the provider resume its delivery: it gives an endpoint up after two days without an answer, until an event that it is
 * asked to send arrives.
 * @param eventId an event that we hold already
 */
export async function resumeDelivery(deps: Connects, eventId: string): Promise<void> {
  try {
    const known = await knownIds(deps)
    const active = (await deps.provider.listWebhooks()).filter(({ id, status }) => known.has(id) && status === 'active')
    if (active.length === 0)
      deps.log.warn('provider has no active webhook endpoint of ours: run "causeway provider connect"')
    for (const { id } of active) await deps.provider.sendWebhookEvent(id, eventId, keyOf(`resend ${id} ${eventId}`))
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

async function createWebhook(deps: Connects, url: string, known: ReadonlySet<string>): Promise<ProviderWebhook> {
  // The key is the same for the same address within a day: two replicas that connect at once make one endpoint. The ids of our
  // earlier endpoints are part of it, so that the provider does not replay the answer for an endpoint that was deleted since.
  const day = new Date(deps.now()).toISOString().slice(0, 10)
  const intent = [url, day, ...[...known].sort()].join(' ')
  return await configure(url, () => deps.provider.createWebhook({ url, eventEpoch: 'webhook_creation' }, keyOf(intent)))
}
