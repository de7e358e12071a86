// What virtual accounts need from others.

import type { EndUserRow } from '../end-users/service.ts'
import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type Accounts = Core & { provider: Pick<Provider, 'accounts' | 'traits'> }

export type OpensAccounts = Accounts & {
  /** Asks the provider for the verdict on the end-user: an approval may have come without an event. */
  refreshEndUser(user: EndUserRow): Promise<void>
}
