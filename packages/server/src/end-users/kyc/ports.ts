// What KYC needs from others. Each function of the provider rejects with a `ProviderError` and with nothing else.

import type { Core } from '../../platform/core.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type {
  KycLinkInput,
  ProviderCustomer,
  ProviderKycLink,
  ProviderPerson,
} from '../../provider/bridge/wire/types.ts'
import type { Write } from '../../provider/port.ts'
import type { Terms } from '../ports.ts'
import type { EndUserKey, EndUserRow } from '../store.ts'

/** Customers at the provider. */
export interface CustomersAtProvider {
  createCustomer(customer: JsonObject, write: Write): Promise<ProviderCustomer>
  updateCustomer(id: string, change: JsonObject): Promise<ProviderCustomer>
  getCustomer(id: string): Promise<ProviderCustomer>
  findCustomersByEmail(email: string): Promise<ProviderCustomer[]>
  getKycLink(id: string): Promise<ProviderKycLink>
}

/** Hosted KYC pages at the provider. */
export interface KycPagesAtProvider {
  createKycLink(link: KycLinkInput, write: Write): Promise<ProviderKycLink>
  /** For a customer that exists. */
  getCustomerKycLink(id: string, page: { endorsement?: string; redirectUri?: string }): Promise<{ url: string }>
}

/** The people of a company at the provider. */
export interface PeopleAtProvider {
  listAssociatedPersons(customerId: string): Promise<ProviderPerson[]>
  createAssociatedPerson(customerId: string, person: JsonObject, write: Write): Promise<ProviderPerson>
  updateAssociatedPerson(customerId: string, id: string, person: JsonObject): Promise<ProviderPerson>
}

/** What follows from a verdict in other subjects. */
export type Verdicts = Core & {
  provider: CustomersAtProvider
  /** Lets the virtual accounts follow the verdict, which is committed. */
  followVerdict(user: EndUserKey): Promise<void>
  /** Ends the onboarding links that the verdict ends, in the transaction of the verdict and behind its events. */
  settleLinks(tx: Tx, user: EndUserRow): Promise<void>
}

export type Kyc = Verdicts & Terms & { provider: KycPagesAtProvider & PeopleAtProvider }
