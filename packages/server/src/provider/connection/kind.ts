// A database belongs to one provider: the ids in its rows mean nothing to another one.

import { ConfigError, providerOf } from '../../platform/config.ts'
import type { Core } from '../../platform/core.ts'
import { claimDatabase, findOtherProvider } from './kind.store.ts'

/**
 * Claims a new database for the configured provider.
 * @throws ConfigError when the database has rows of another provider. That provider's customers would be unknown here, and each
 *   end-user would be offboarded
 */
export async function requireProvider({ config, db }: Pick<Core, 'config' | 'db'>): Promise<void> {
  const provider = providerOf(config)
  await db.transaction(async (tx) => {
    await claimDatabase(tx, provider)
    const other = await findOtherProvider(tx, provider)
    if (other === undefined) return
    // The claim is rolled back: the database stays free for the provider of its rows.
    throw new ConfigError([
      `PROVIDER_KIND selects the provider ${provider}, but the database contains data of the provider ${other}: select that provider, or use another database`,
    ])
  })
}
