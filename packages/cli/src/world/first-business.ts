// What a new world is furnished with: a business that may call, and the inbox page that its webhooks go to.

import type { Deps } from '../../../server/src/app/context.ts'
import { authenticateBusiness, issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import { createBusiness } from '../../../server/src/businesses/service.ts'
import { connectProvider } from '../../../server/src/provider/connection/connection.ts'
import {
  getWebhookUrl,
  revealSigningSecret,
  revealSigningSecrets,
  setWebhookUrl,
} from '../../../server/src/webhooks/endpoints/webhook-url.ts'
import { readState, writeState } from '../local-state.ts'

const inboxName = 'dev'

export type Furniture = { customerId: string; apiKey: string; inboxUrl: string; signingSecret: string }

/** @param home where the business and its key are kept for the next start */
export async function furnish(
  deps: Deps,
  { serverUrl, sandboxUrl, home }: { serverUrl: string; sandboxUrl: string; home: string },
): Promise<Furniture> {
  const business = await firstBusiness(deps, home)
  await connectProvider(deps, `${serverUrl}/v0/webhooks/provider`)
  return { ...business, ...(await openInbox(deps, sandboxUrl, business.customerId)) }
}

/** The business of an earlier start, as long as its key still opens the door; a new one otherwise. */
async function firstBusiness(deps: Deps, home: string): Promise<{ customerId: string; apiKey: string }> {
  const kept = await readState(home, 'first-business.json')
  const { customerId, apiKey } = kept ?? {}
  if (typeof customerId === 'string' && typeof apiKey === 'string') {
    const holder = await authenticateBusiness(deps, apiKey).catch(() => null)
    if (holder?.id === customerId) return { customerId, apiKey }
  }
  const business = await createBusiness(deps, { name: 'My business' })
  const { key } = await issueApiKey(deps, business.id, { name: 'First key' })
  const made = { customerId: business.id, apiKey: key }
  await writeState(home, 'first-business.json', made)
  return made
}

/** Points the business's webhook URL at the inbox page, and tells the inbox how to check signatures. */
async function openInbox(
  deps: Deps,
  sandboxUrl: string,
  businessId: string,
): Promise<{ inboxUrl: string; signingSecret: string }> {
  const inboxUrl = `${sandboxUrl}/inbox/${inboxName}`
  // An address of the developer's own stays; the inbox of an earlier start may have had another port.
  const current = await getWebhookUrl(deps, businessId).catch(() => null)
  if (current === null || new URL(current.webhookUrl).pathname === new URL(inboxUrl).pathname)
    await setWebhookUrl(deps, businessId, inboxUrl)
  await tellInboxes(deps, sandboxUrl)()
  return { inboxUrl, signingSecret: await revealSigningSecret(deps, businessId) }
}

/**
 * Tells the inbox pages the secrets of all endpoints that point at them. An inbox judges again what arrived before its secret.
 * @returns a function that looks and tells what changed since the last time
 */
export function tellInboxes(deps: Deps, sandboxUrl: string): () => Promise<void> {
  const told = new Map<string, string>()
  return async () => {
    for (const [url, secrets] of await revealSigningSecrets(deps, `${sandboxUrl}/inbox/`)) {
      const settings = JSON.stringify({ secrets })
      if (told.get(url) === settings) continue
      const response = await fetch(`${url}/settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: settings,
      })
      await response.arrayBuffer()
      if (response.ok) told.set(url, settings)
    }
  }
}
