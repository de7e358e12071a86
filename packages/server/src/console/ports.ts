// Dependencies of the console.

import type { ApiKeys } from '../businesses/ports.ts'

export type Consoles = ApiKeys & {
  /**
   * Finds the page that ends the session of a staff member at the issuer as well; null if there is none.
   * @param businessId null for the operator
   */
  findEndSessionUrl(businessId: string | null, origin: string): Promise<string | null>
}
