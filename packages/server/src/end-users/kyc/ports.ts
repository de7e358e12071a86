// What KYC needs from others.

import type { Core } from '../../platform/core.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { Provider } from '../../provider/port.ts'
import type { Terms } from '../ports.ts'
import type { EndUserKey, EndUserRow } from '../store.ts'

/** What follows from a verdict in other subjects. */
export type Verdicts = Core & {
  provider: Pick<Provider, 'customers' | 'hostedKyc'>
  /** Lets the virtual accounts follow the verdict, which is committed. */
  followVerdict(user: EndUserKey): Promise<void>
  /** Ends the onboarding links that the verdict ends, in the transaction of the verdict and behind its events. */
  settleLinks(tx: Tx, user: EndUserRow): Promise<void>
}

export type Kyc = Verdicts & Terms & { provider: Pick<Provider, 'form'> }
