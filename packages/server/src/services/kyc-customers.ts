// The provider's customers under an e-mail address: ours, which a lost answer may have left there, or somebody else's.

import type { ProviderCustomer } from '../domain/kyc.ts'
import { ProviderError } from '../provider/port.ts'
import type { EndUserRow } from '../store/end-users.ts'
import type { Deps } from './deps.ts'

/** The provider's customer that carries our end-user's id, looked for under these addresses. */
export async function findByEmail(
  deps: Deps,
  user: EndUserRow,
  emails: readonly unknown[],
): Promise<ProviderCustomer | undefined> {
  for (const email of new Set(emails)) {
    const found = typeof email === 'string' ? await deps.provider.findCustomersByEmail(email) : []
    const ours = found.find((customer) => customer.clientReferenceId === user.id)
    if (ours) return ours
  }
  return undefined
}

/** The provider refuses an address that it knows in a sentence, and names no field: the same refusal, naming it. */
export async function explainTakenEmail(deps: Deps, refusal: ProviderError, email: unknown): Promise<ProviderError> {
  if (typeof email !== 'string' || (await deps.provider.findCustomersByEmail(email)).length === 0) return refusal
  const { status, code, cause } = refusal
  const fields = {
    ...refusal.fields,
    email: 'belongs to another customer of the provider already: each needs one of its own',
  }
  return new ProviderError('rejected', { status, code, cause, fields })
}
