// Dependencies of the onboarding page.

import type { Terms } from '../end-users/ports.ts'
import type { EventReaders } from '../events/stream/readers.ts'
import type { ServerCore } from '../platform/core.ts'
import type { Business } from '../platform/http/caller.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import type { Occupation, Provider } from '../provider/port.ts'

/** A code is enough to open a page: the business of the link is not known before. */
export type OpensPages = ServerCore & {
  /** Whether the provider is the sandbox provider. */
  isSandbox: boolean
  /** Origins of the provider's pages. */
  pageOrigins: Provider['traits']['pageOrigins']
}

export type OnboardingPages = Terms & {
  /** Pages that wait for a change. They do not count against the business's own readers. */
  pageReaders: Pick<EventReaders, 'openIfFree'>
  /** Lists the occupations of the provider with their codes; empty if it has no list. */
  listOccupations(): Promise<Occupation[]>
  /** Sends KYC data to the provider, or with `dryRun` only checks them. */
  submitKyc(scope: RequestScope, externalUserId: string, body: unknown, options: { dryRun: boolean }): Promise<unknown>
  /** Creates a link to the provider's terms, or returns the open one. */
  createTosLink(
    scope: RequestScope,
    externalUserId: string,
    input: { redirectUri?: string },
  ): Promise<{ tosLink: string }>
  /** Finds or creates the provider's own page, and names the people of a company with open requirements. */
  readHostedPage(
    business: Business,
    externalUserId: string,
    currency: FiatCurrency | undefined,
  ): Promise<{ kycLink: string | null; associatedPersons: { id: string; email: string | null }[] }>
}
