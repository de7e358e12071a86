// Dependencies of KYC.

import type { Core } from '../../platform/core.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { Provider } from '../../provider/port.ts'
import type { Terms } from '../ports.ts'
import type { EndUserKey, EndUserRow } from '../store.ts'

/** Effects of a verdict on other subjects. */
export type Verdicts = Core & {
  provider: Pick<Provider, 'customers' | 'hostedKyc'>
  /** Makes the virtual accounts follow the committed verdict. */
  followVerdict(user: EndUserKey): Promise<void>
  /**
   * Ends the onboarding links that the verdict makes obsolete, in the transaction of the verdict and after its events.
   */
  settleLinks(tx: Tx, user: EndUserRow): Promise<void>
}

export type Kyc = Verdicts & Terms & { provider: Pick<Provider, 'form'> }
