// A customer whom the provider does not know may have been deleted there, or our key is of another account, which knows none
// of ours. Three in a row tell which.

import type { Deps } from '../../app/context.ts'
import { providerCustomersUnknown } from '../../platform/observe/metrics.ts'
import { ProviderError } from '../../provider/port.ts'
import { type EndUserRow, listEndUsersUpstream } from '../store.ts'

const neighbours = 2
const lookedThroughMax = 20
const code = 'customers_unknown'

/**
 * Asks the provider for the next two customers. With fewer than two others there is no row of three, and the answer is believed.
 * @throws ProviderError `unauthorized`, `customers_unknown` when it knows neither: then nobody may be offboarded
 */
export async function requireKeyOfOurs(deps: Deps, unknown: EndUserRow): Promise<void> {
  const others = await nextCustomers(deps, unknown)
  if (others.length < neighbours) return
  for (const id of others) if (await isKnown(deps, id)) return
  providerCustomersUnknown.inc()
  deps.log.error('three customers in a row are unknown to the provider: nobody is offboarded; check PROVIDER_API_KEY')
  throw new ProviderError('unauthorized', { code })
}

export function isForeignKey(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof ProviderError ? error.cause : error
  return cause instanceof ProviderError && cause.code === code
}

/** In the order of the walk, from the beginning again after the last. */
async function nextCustomers(deps: Deps, { businessId, id }: EndUserRow): Promise<string[]> {
  const [after, first] = await deps.db.read(async (query) => [
    await listEndUsersUpstream(query, { businessId, id }, lookedThroughMax),
    await listEndUsersUpstream(query, { businessId: '', id: '' }, lookedThroughMax),
  ])
  const others = [...(after ?? []), ...(first ?? [])].filter(
    (user) => user.id !== id && user.providerStatus !== 'deleted',
  )
  return [...new Set(others.flatMap(({ providerCustomerId }) => providerCustomerId ?? []))].slice(0, neighbours)
}

async function isKnown(deps: Deps, customerId: string): Promise<boolean> {
  try {
    await deps.provider.getCustomer(customerId)
    return true
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found') return false
    throw error
  }
}
