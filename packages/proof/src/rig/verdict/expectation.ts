// The requirements of a run. Everything that is not allowed must be absent.

import type { Answer, Ledger } from '../ledger.ts'
import type { Finding, Gap, Observed } from './observed.ts'

export type Expectation = {
  /** Everything else must be absent. */
  allow?: Partial<Record<'unanswered' | 'duplicate', number>>
  /** Responses that the proof itself causes, which would be unfit in any other. */
  explains?: (answer: Answer, ledger: Ledger) => boolean
  /**
   * Maximum error of a signing time in milliseconds, because the proof steps the signer's clock. Default: as receivers accept it.
   */
  signedOffMsMax?: number
  /** The longest gap in each span, or in the whole run if there is no span. In milliseconds. */
  gapMsMax?: Partial<Record<Gap, number>>
  /** The longest time that `untilServing` may take. */
  recoveryMsMax?: number
  /**
   * Counts that must stay zero (`none`), and minimum counts without which the run proves nothing (`atLeast`). Names are
   * those of `count`, and of the ledger itself: `answers`, `acknowledged`, `refused` (503 and 504), `retried`,
   * `readyz unanswered`, `end-users`, `accounts`, `deposits`, `events`, `deliveries`.
   */
  none?: readonly string[]
  atLeast?: Readonly<Record<string, number>>
  /** Checks that only this proof can make. */
  also?: (observed: Observed) => readonly Finding[]
}
