// The type of an operator command.

import type { ApiKeys } from '../../../server/src/businesses/ports.ts'
import type { ServerCore } from '../../../server/src/platform/core.ts'
import type { Connects } from '../../../server/src/provider/connection/ports.ts'
import type { Terminal } from '../command.ts'

/** An empty text where an option is not given; `true` for one that takes no value. */
export const noValues = {
  customer: '',
  url: '',
  type: '',
  since: '',
  limit: '',
  heads: '',
  now: '',
  skip: '',
  endKeys: '',
}

export type Values = Readonly<typeof noValues>

export type OperatorDeps = ServerCore & ApiKeys & Connects

export type Operation = {
  run(deps: OperatorDeps, values: Values, terminal: Terminal): Promise<unknown>
  /** True if a script should stop at this result: exit code 1. */
  isBad?(result: unknown): boolean
}
