// A business asks for an account. Its end-user may have been approved without any event telling so: the provider is asked
// before the request is refused.

import type { Deps } from '../app/context.ts'
import { refreshEndUser } from '../end-users/kyc/apply-verdict.ts'
import { claimProviderQuestion, findEndUser } from '../end-users/service.ts'
import type { Business } from '../platform/http/caller.ts'
import { isFiatCurrency } from '../platform/values/rails.ts'
import { isOutage } from '../provider/operations/operations.ts'
import { createVirtualAccount, type NewVirtualAccount, type VirtualAccountView } from './open.ts'
import { railRefusal } from './terms.ts'

/** How often the provider is asked about one end-user at most, however many requests are refused. */
const askAgainSeconds = 5

/** Opens an account, see `createVirtualAccount`. */
export async function requestVirtualAccount(
  deps: Deps,
  business: Business,
  input: NewVirtualAccount,
  requestKey: string | null,
): Promise<VirtualAccountView> {
  await lookForApproval(deps, business, input)
  return await createVirtualAccount(deps, business, input, requestKey)
}

/** A provider that is away leaves the verdict that we hold. */
async function lookForApproval(deps: Deps, business: Business, { externalUserId, source }: NewVirtualAccount) {
  const { currency } = source
  if (!isFiatCurrency(currency)) return
  const user = await deps.db.read((query) => findEndUser(query, business.id, externalUserId))
  if (!user || !railRefusal(deps, user, currency)) return
  if (user.providerCustomerId === null && user.providerKycLink === null) return
  if (!(await deps.db.transaction((tx) => claimProviderQuestion(tx, user.businessId, user.id, askAgainSeconds)))) return
  try {
    await refreshEndUser(deps, user)
  } catch (error) {
    if (!isOutage(error)) throw error
  }
}
