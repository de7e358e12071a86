// The provider's customers with an email address: our own, possibly left by a lost response, or another party's.

import { noteEmailConflict } from '../../businesses/service.ts'
import { providerOf } from '../../platform/config.ts'
import { listLostCreations, type Operation, readIfPresent } from '../../provider/operations/operations.ts'
import { ProviderError, type Standing } from '../../provider/port.ts'
import { type EndUserRow, isCreationOpenElsewhere, isHeldByAnother, isHeldWithin } from '../store.ts'
import type { Verdicts } from './ports.ts'

/**
 * Finds the customer of an end-user under these addresses: the customer with our ID, or one from a creation whose
 * response was lost.
 * @param fresh an operation in its first attempt, which has lost no response yet
 */
export async function findByEmail(
  deps: Verdicts,
  user: EndUserRow,
  emails: readonly unknown[],
  fresh: Operation | null = null,
): Promise<Standing | undefined> {
  const lost = await deps.db.read((query) => listLostCreations(query, user, fresh?.id ?? null))
  for (const email of new Set(emails)) {
    if (typeof email !== 'string') continue
    const found = await deps.provider.customers.findByEmail(email)
    const ours = found.find((customer) => customer.reference === user.id)
    const customer = ours ?? (await madeByLost(deps, user, lost, email, found))
    if (customer) return customer
  }
  return undefined
}

/**
 * Reads the customer that a creation with an unreadable response created: by the ID in that response, else by email
 * address. Never returns a customer of another end-user.
 */
export async function findMade(
  deps: Verdicts,
  user: EndUserRow,
  emails: readonly unknown[],
  customerId: string | null,
): Promise<Standing | undefined> {
  const made = customerId === null ? null : await readIfPresent(() => deps.provider.customers.read(customerId))
  if (!made) return await findByEmail(deps, user, emails)
  const isOurs = made.reference === null || made.reference === user.id
  return isOurs && !(await deps.db.read((query) => isHeldByAnother(query, user, [made.id]))) ? made : undefined
}

/** Fingerprints of the email address of an operation, one for each deployment secret. */
export function emailMarks(deps: Verdicts, email: unknown): string[] {
  if (typeof email !== 'string') return []
  return deps.secrets.fingerprints('kyc-email', email.toLowerCase()).map((mark) => mark.toString('base64'))
}

// Compares the provider's time of the creation with our time of the request: the clocks may differ this much.
const clockSkewMs = 60_000

/**
 * A customer without our ID, which the provider may omit, is ours under three conditions. It is the only customer of
 * the address, it was created after our creation with that address was sent, and no other end-user has it or may have
 * created it.
 */
async function madeByLost(
  deps: Verdicts,
  user: EndUserRow,
  lost: readonly Operation[],
  email: string,
  found: readonly Standing[],
): Promise<Standing | undefined> {
  const marks = emailMarks(deps, email)
  const times = lost
    .filter(({ request }) => marks.includes(String(request?.['emailMark'])))
    .map(({ createdAt }) => createdAt.getTime() - clockSkewMs)
  const [only, ...others] = found
  if (!only || others.length > 0 || only.reference !== null) return undefined
  if (only.createdAtMs === null || only.createdAtMs < Math.min(...times)) return undefined
  const isDisputed = await deps.db.read(
    async (query) =>
      (await isHeldByAnother(query, user, [only.id])) || (await isCreationOpenElsewhere(query, user.id, marks)),
  )
  return isDisputed ? undefined : only
}

/**
 * Reduces the refusal of an existing email address to what the caller may know. If another end-user of the same
 * business has the address: that it is the address. If another party has it: nothing, as if the provider had refused
 * without a reason.
 */
export async function explainTakenEmail(
  deps: Verdicts,
  businessId: string,
  refusal: ProviderError,
  email: unknown,
): Promise<ProviderError> {
  if (typeof email !== 'string') return refusal
  const found = await deps.provider.customers.findByEmail(email)
  const page = refusal.existingPage
  const ids = [...found.flatMap(({ id, reference }) => [id, reference]), page?.id, page?.customerId]
  const holders = ids.filter((id) => typeof id === 'string')
  if (holders.length === 0) return refusal
  const { status, code, cause } = refusal
  const { email: _, ...fields } = refusal.fields
  if (await deps.db.read((query) => isHeldWithin(query, providerOf(deps.config), businessId, holders))) {
    const text = 'already belongs to another of your end-users: each needs a different one'
    return new ProviderError('rejected', {
      status,
      code,
      // The address has to change first, whatever else was refused.
      refusal: refusal.refusal === 'agreement_invalid' ? null : refusal.refusal,
      cause,
      fields: { ...fields, email: text },
    })
  }
  await noteEmailConflict(deps, businessId)
  const named = Object.keys(fields)
  const isOfAgreement = named.length > 0 && named.every((name) => name.includes('signed_agreement_id'))
  return new ProviderError('rejected', { status, cause, fields, refusal: isOfAgreement ? 'agreement_invalid' : null })
}
