// What the onboarding page needs from others.

import type { Terms } from '../end-users/ports.ts'
import type { EventReaders } from '../events/stream/readers.ts'
import type { ServerCore } from '../platform/core.ts'
import type { Business } from '../platform/http/caller.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import type { Occupation, Provider } from '../provider/port.ts'

/** A code is all that opens a page: of which business the link is, is not known before. */
export type OpensPages = ServerCore & {
  /** Whether the provider is the emulator. */
  isSandbox: boolean
  /** Where the pages of the provider are. */
  pageOrigins: Provider['traits']['pageOrigins']
}

export type OnboardingPages = Terms & {
  /** Pages that wait for a change. They take no places of the business's own readers. */
  pageReaders: Pick<EventReaders, 'openIfFree'>
  /** Lists the occupations that the provider knows, with the code of each; empty where it has no list. */
  listOccupations(): Promise<Occupation[]>
  /** Sends KYC data to the provider, or with `dryRun` only checks them. */
  submitKyc(scope: RequestScope, externalUserId: string, body: unknown, options: { dryRun: boolean }): Promise<unknown>
  /** Makes a link to the provider's terms, or hands out the open one. */
  createTosLink(
    scope: RequestScope,
    externalUserId: string,
    input: { redirectUri?: string },
  ): Promise<{ tosLink: string }>
  /** Finds or makes the provider's own page, and names the people of a company whose data are asked for. */
  readHostedPage(
    business: Business,
    externalUserId: string,
    currency: FiatCurrency | undefined,
  ): Promise<{ kycLink: string | null; associatedPersons: { id: string; email: string | null }[] }>
}
