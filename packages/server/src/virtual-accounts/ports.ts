// What virtual accounts need from others.

import type { EndUserRow } from '../end-users/service.ts'
import type { Core } from '../platform/core.ts'
import type {
  ListedVirtualAccounts,
  ProviderVirtualAccount,
  VirtualAccountInput,
} from '../provider/bridge/wire/types.ts'
import type { Write } from '../provider/port.ts'

/** Accounts at the provider. Each function rejects with a `ProviderError` and with nothing else. */
export interface AccountsAtProvider {
  createVirtualAccount(customerId: string, account: VirtualAccountInput, write: Write): Promise<ProviderVirtualAccount>
  getVirtualAccount(customerId: string, id: string): Promise<ProviderVirtualAccount>
  listVirtualAccounts(customerId: string, page: { limit: number }): Promise<ListedVirtualAccounts>
  updateVirtualAccount(customerId: string, id: string, change: AccountChange): Promise<ProviderVirtualAccount>
  deactivateVirtualAccount(customerId: string, id: string, write: Write): Promise<ProviderVirtualAccount>
  reactivateVirtualAccount(customerId: string, id: string, write: Write): Promise<ProviderVirtualAccount>
}

export type AccountChange = Partial<Omit<VirtualAccountInput, 'sourceCurrency' | 'travelRuleData'>>

export type Accounts = Core & { provider: AccountsAtProvider }

export type OpensAccounts = Accounts & {
  /** Asks the provider for the verdict on the end-user: an approval may have come without an event. */
  refreshEndUser(user: EndUserRow): Promise<void>
}
