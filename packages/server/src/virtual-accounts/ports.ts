// Dependencies of virtual accounts.

import type { EndUserRow } from '../end-users/service.ts'
import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type Accounts = Core & { provider: Pick<Provider, 'accounts' | 'traits'> }

export type OpensAccounts = Accounts & {
  /** Reads the verdict on the end-user at the provider: an approval may have come without an event. */
  refreshEndUser(user: EndUserRow): Promise<void>
}
