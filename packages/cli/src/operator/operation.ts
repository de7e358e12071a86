// The form of an operator's command.

import type { Causeway } from '../../../sdk/src/index.ts'
import type { ApiKeys } from '../../../server/src/businesses/ports.ts'
import type { ServerCore } from '../../../server/src/platform/core.ts'
import type { Connects } from '../../../server/src/provider/connection/ports.ts'
import type { Terminal } from '../command.ts'

/** An empty text where an option is not given; `true` for one that takes no value. */
export const noValues = {
  name: '',
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

/** What the operator works with where no server runs. */
export type OperatorDeps = ServerCore & ApiKeys & Connects

export type Operation = {
  run(deps: OperatorDeps, values: Values, terminal: Terminal): Promise<unknown>
  /** The same through the API of a running server, authenticated by the operator secret. */
  overHttp?(api: Causeway, values: Values): Promise<unknown>
  /** Whether the answer is one that a script should stop at: exit code 1. */
  isBad?(answer: unknown): boolean
}

export const firstPage = { limit: 100, after: null }
