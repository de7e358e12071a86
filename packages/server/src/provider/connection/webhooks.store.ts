// The webhook endpoints which we registered at the provider, with the public keys they sign with.

import type { Query, Tx } from '../../platform/postgres/query.ts'

export type ProviderWebhookRow = { id: string; url: string; publicKey: string; createdAt: Date }

export async function saveProviderWebhook(
  tx: Tx,
  webhook: { provider: string; id: string; url: string; publicKey: string },
): Promise<void> {
  await tx`
    insert into provider_webhooks (provider, id, url, public_key)
    values (${webhook.provider}, ${webhook.id}, ${webhook.url}, ${webhook.publicKey})
    on conflict (provider, id) do update set url = excluded.url, public_key = excluded.public_key`
}

export async function listProviderWebhooks(query: Query): Promise<ProviderWebhookRow[]> {
  return await query<ProviderWebhookRow[]>`select * from provider_webhooks order by created_at desc limit 20`
}
