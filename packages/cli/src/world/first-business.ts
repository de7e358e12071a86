// Seeds a new local environment: a business with an API key, and the inbox that receives its webhooks.

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
import type { OperatorDeps } from '../operator/operation.ts'

const inboxName = 'dev'

export type Seed = { customerId: string; apiKey: string; inboxUrl: string; signingSecret: string }

/**
 * Creates the first business, or finds the business of an earlier start, and connects it to the sandbox provider.
 * @param home the folder that stores the business and its key for the next start
 */
export async function seed(
  deps: OperatorDeps,
  { serverUrl, sandboxUrl, home }: { serverUrl: string; sandboxUrl: string; home: string },
): Promise<Seed> {
  const business = await firstBusiness(deps, home)
  await connectProvider(deps, `${serverUrl}/v0/webhooks/provider`)
  return { ...business, ...(await openInbox(deps, sandboxUrl, business.customerId)) }
}

/** Finds the business of an earlier start while its API key is valid. Otherwise creates a business. */
async function firstBusiness(deps: OperatorDeps, home: string): Promise<{ customerId: string; apiKey: string }> {
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

/** Points the business's webhook URL at the inbox, and sends it the secrets that check signatures. */
async function openInbox(
  deps: OperatorDeps,
  sandboxUrl: string,
  businessId: string,
): Promise<{ inboxUrl: string; signingSecret: string }> {
  const inboxUrl = `${sandboxUrl}/inbox/${inboxName}`
  // Keeps a URL that the developer has set. The inbox of an earlier start may have had another port.
  const current = await getWebhookUrl(deps, businessId).catch(() => null)
  if (current === null || new URL(current.webhookUrl).pathname === new URL(inboxUrl).pathname)
    await setWebhookUrl(deps, null, businessId, inboxUrl)
  await inboxSecretsSender(deps, sandboxUrl)()
  return { inboxUrl, signingSecret: await revealSigningSecret(deps, businessId) }
}

/**
 * Sends the inboxes the secrets of all endpoints that point at them. An inbox checks earlier messages again.
 * @returns a function that sends the changes since its last call
 */
export function inboxSecretsSender(deps: OperatorDeps, sandboxUrl: string): () => Promise<void> {
  const sent = new Map<string, string>()
  return async () => {
    for (const [url, secrets] of await revealSigningSecrets(deps, `${sandboxUrl}/inbox/`)) {
      const settings = JSON.stringify({ secrets })
      if (sent.get(url) === settings) continue
      const response = await fetch(`${url}/settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: settings,
      })
      await response.arrayBuffer()
      if (response.ok) sent.set(url, settings)
    }
  }
}
