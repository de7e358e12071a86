// The product as the bench runs it: its configuration, its database, what a deployment has before events come.

import { randomBytes } from 'node:crypto'
import { createBusiness } from '../../../server/src/businesses/service.ts'
import { createDeps } from '../../../server/src/main.ts'
import type { Config } from '../../../server/src/platform/config.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { parseConfig } from '../../../server/src/platform/settings.ts'
import { makeId } from '../../../server/src/platform/values/ids.ts'
import { setWebhookUrl } from '../../../server/src/webhooks/endpoints/webhook-url.ts'

export type Target = {
  connection: ConnectionOptions
  /** PEM; without a key only unsigned events are accepted. */
  publicKey: string | null
}

/** All other settings have their defaults. */
export function productConfig({ publicKey }: Pick<Target, 'publicKey'>): Config {
  return parseConfig({
    PORT: '0',
    DEPLOYMENT_SECRET: 'a deployment secret of the bench alone',
    ADMIN_SECRET: 'an operator secret of the bench',
    PROVIDER_KIND: 'sandbox',
    // Nothing that is measured asks the provider for anything.
    PROVIDER_URL: 'http://127.0.0.1:9/v0',
    PROVIDER_API_KEY: 'none',
    RECONCILE_PERIOD_SECONDS: '0',
    // Counted as ever; a caller as quick as the bench would not be served.
    RATE_LIMIT_REQUESTS: '10000000',
    ...(publicKey === null ? {} : { PROVIDER_WEBHOOK_PUBLIC_KEYS: publicKey }),
  })
}

/** A business with one endpoint, and end-users whom the provider knows. */
export type Tenant = { businessId: string; endpointId: string; customerIds: string[] }

const usersPerTenant = 50

/** One tenant an address. */
export async function seedTenants(db: Database, urls: readonly string[]): Promise<Tenant[]> {
  const deps = createDeps(productConfig({ publicKey: null }), createLog('silent'), db)
  const tenants: Tenant[] = []
  for (const url of urls) {
    const { id: businessId } = await createBusiness(deps, { name: 'Measured' })
    const customerIds = Array.from({ length: usersPerTenant }, () => randomBytes(16).toString('hex'))
    const endUserIds = customerIds.map(() => makeId('endUser', randomBytes(16)))
    await db.statement(
      (query) => query`
        insert into end_users (business_id, id, external_user_id, provider, search_name, type, provider_customer_id)
        select ${businessId}, id, 'user-' || id, 'bridge', 'user-' || id, 'individual', customer_id
        from unnest(${endUserIds}::text[], ${customerIds}::text[]) as u (id, customer_id)`,
    )
    const endpoint = await setWebhookUrl(deps, null, businessId, url)
    tenants.push({ businessId, endpointId: endpoint.id, customerIds })
  }
  await deps.provider.close()
  return tenants
}
