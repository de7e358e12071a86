// The provider's customers under an e-mail address: ours, which a lost answer may have left there, or somebody else's.

import type { Deps } from '../../app/context.ts'
import type { Operation } from '../../provider/operations/operation.rules.ts'
import { listLostCreations } from '../../provider/operations/operations.ts'
import { ProviderError } from '../../provider/port.ts'
import type { ProviderCustomer } from '../../provider/types.ts'
import { type EndUserRow, isCreationOpenElsewhere, isHeldByAnother, isHeldWithin } from '../store.ts'

/**
 * Our end-user's customer, looked for under these addresses: the one that carries our id, or the one that a creation whose
 * answer was lost has made.
 * @param fresh an operation that is under way for the first time: it has lost no answer yet
 */
export async function findByEmail(
  deps: Deps,
  user: EndUserRow,
  emails: readonly unknown[],
  fresh: Operation | null = null,
): Promise<ProviderCustomer | undefined> {
  const lost = await listLostCreations(deps, user, fresh)
  for (const email of new Set(emails)) {
    if (typeof email !== 'string') continue
    const found = await deps.provider.findCustomersByEmail(email)
    const ours = found.find((customer) => customer.clientReferenceId === user.id)
    const made = ours ?? (await madeByLost(deps, user, lost, email, found))
    if (made) return made
  }
  return undefined
}

/** By what an operation's e-mail address is known again, under each deployment secret: the address is not stored. */
export function emailMarks(deps: Deps, email: unknown): string[] {
  if (typeof email !== 'string') return []
  return deps.secrets.fingerprints('kyc-email', email.toLowerCase()).map((mark) => mark.toString('base64'))
}

// Two clocks are compared: the provider's time of the creation, and ours of the request.
const clockSkewMs = 60_000

/**
 * The provider does not have to repeat our id. Then a customer is ours when it is the only one of the address, came into being
 * after a creation of ours with that address was sent, and nobody else holds it or may have made it.
 */
async function madeByLost(
  deps: Deps,
  user: EndUserRow,
  lost: readonly Operation[],
  email: string,
  found: readonly ProviderCustomer[],
): Promise<ProviderCustomer | undefined> {
  const marks = emailMarks(deps, email)
  const times = lost
    .filter(({ request }) => marks.includes(String(request?.['emailMark'])))
    .map(({ createdAt }) => createdAt.getTime() - clockSkewMs)
  const [only, ...others] = found
  if (!only || others.length > 0 || only.clientReferenceId !== null) return undefined
  if (only.createdAtMs === null || only.createdAtMs < Math.min(...times)) return undefined
  const isDisputed = await deps.db.read(
    async (query) =>
      (await isHeldByAnother(query, user.id, [only.id])) || (await isCreationOpenElsewhere(query, user.id, marks)),
  )
  return isDisputed ? undefined : only
}

/**
 * What a caller may know of the refusal of an address that the provider has already. Of another end-user of its own: that it
 * is the address. Of anybody else's customer: nothing, as if the provider had refused without a word.
 */
export async function explainTakenEmail(
  deps: Deps,
  businessId: string,
  refusal: ProviderError,
  email: unknown,
): Promise<ProviderError> {
  if (typeof email !== 'string') return refusal
  const found = await deps.provider.findCustomersByEmail(email)
  const link = refusal.existingKycLink
  const ids = [...found.flatMap(({ id, clientReferenceId }) => [id, clientReferenceId]), link?.id, link?.customerId]
  const holders = ids.filter((id) => typeof id === 'string')
  if (holders.length === 0) return refusal
  const { status, code, cause } = refusal
  const { email: _, ...fields } = refusal.fields
  if (await deps.db.read((query) => isHeldWithin(query, businessId, holders))) {
    const text = 'belongs to another of your end-users already: each needs one of its own'
    return new ProviderError('rejected', { status, code, cause, fields: { ...fields, email: text } })
  }
  return new ProviderError('rejected', { status, cause, fields })
}
